// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Astronomy and space flight.
  static let space = Self(
    english: """
      Sun
      The Sun is a star. In its core hydrogen becomes helium, and its light needs eight minutes to reach us.

      Moon
      The Moon always shows the same side to the Earth. In 1969 people walked on it for the first time.

      Mercury | Mercury (planet)
      Mercury is the smallest planet and the closest to the Sun.

      Venus
      Venus is the hottest planet; its thick air keeps the heat. A day on it is longer than its year.

      Mars
      Mars is red because of rust. Its volcano Olympus Mons is more than twice as high as Everest.

      Jupiter
      Jupiter is the largest planet. Its Great Red Spot is a storm larger than the Earth.

      Saturn
      The rings of Saturn consist of pieces of ice and rock and are very thin.

      Halley's Comet
      Halley's Comet returns about every 76 years. It was last close to the Sun in 1986.

      Milky Way
      The Milky Way is our galaxy, a disc of more than a hundred billion stars.

      Black hole
      Nothing that falls into a black hole can return, not even light.

      Aurora
      An aurora appears when particles from the Sun meet the upper air near the poles.

      International Space Station
      The International Space Station goes round the Earth sixteen times a day. People have lived in it since 2000.

      Hayabusa2
      The Japanese probe Hayabusa2 brought grains of the asteroid Ryugu to the Earth in 2020.

      Voyager 1
      Voyager 1 left the Earth in 1977 and is the farthest thing that people have made.
      """,
    japanese: """
      太陽
      太陽は水素がヘリウムに変わるときの力で輝く恒星である。
      光は約八分で地球に届く。

      月
      月はいつも同じ面を地球に向けている。
      一九六九年に人類が初めて降り立った。

      水星
      水星は太陽に最も近く、最も小さい惑星である。

      金星
      金星は厚い大気のために最も熱い惑星で、明けの明星、宵の明星とも呼ばれる。

      火星
      火星は酸化した鉄のために赤く見える。
      オリンポス山の高さはエベレストの二倍以上ある。

      木星
      木星は最も大きな惑星で、大赤斑は地球より大きな嵐である。

      土星
      土星の環は氷や岩のかけらからできていて、とても薄い。

      天の川銀河
      天の川銀河は太陽系のある銀河で、千億を超える恒星が円盤をなす。

      ブラックホール
      ブラックホールからは光も抜け出せない。

      オーロラ
      オーロラは太陽から来た粒子が極地の上空の大気とぶつかって光る現象である。

      国際宇宙ステーション
      国際宇宙ステーションは一日に地球を十六周し、二〇〇〇年から人が暮らしている。

      はやぶさ2
      はやぶさ2は小惑星リュウグウの砂を二〇二〇年に地球へ届けた探査機である。

      すばる望遠鏡
      すばる望遠鏡はハワイのマウナケア山頂にある日本の大型望遠鏡である。

      七夕の二つの星 | ベガ
      織姫星はこと座のベガ、彦星はわし座のアルタイルである。
      """)
}
