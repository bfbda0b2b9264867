import Musubi

/// One person's view of a chat: the lines, and what the person writes.
final class ChatViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var draft: Signal<String> = .never()
    var say: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let draft: Driver<String>
    let lines: Driver<[ChatLine]>
  }

  private let chat: Shared<ChatModel>
  private let draft = BehaviorRelay(value: "")
  private let disposeBag = DisposeBag()

  init(chat: Shared<ChatModel>) { self.chat = chat }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.draft.emit(to: draft).disposed(by: disposeBag)
    inputs.say.emit(onNext: { [chat, draft] in
      guard !draft.value.isEmpty else { return }
      chat.send(.say(draft.value))
      draft.accept("")
    }).disposed(by: disposeBag)
    return Outputs(draft: draft.asDriver(), lines: chat.lines)
  }
}
