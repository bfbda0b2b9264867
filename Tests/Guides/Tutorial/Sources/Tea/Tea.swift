import Musubi

@main
struct Tea {
  static func main() async {
    var application = Application()
    application.screen("tea", scope: .room, page: "tea.html") { _ in TeaView() }
    await application.run()
  }
}
