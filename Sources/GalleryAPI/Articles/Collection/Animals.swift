// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Animals.
  static let animals = Self(
    english: """
      Blue whale
      The blue whale is the largest animal that has ever lived; it eats tiny shrimps called krill.

      African elephant
      The African elephant is the heaviest land animal. Its trunk has tens of thousands of muscles.

      Giraffe
      The giraffe has as many neck bones as a human: seven.

      Cheetah
      The cheetah is the fastest runner on land, but only for some hundred metres.

      Octopus
      An octopus has three hearts and eight arms, and changes its colour in less than a second.

      Honey bee
      Honey bees tell each other by a dance where flowers are.

      Monarch butterfly
      Monarch butterflies migrate thousands of kilometres between Canada and Mexico, over several generations.

      Emperor penguin
      The emperor penguin breeds in the winter of Antarctica; the male keeps the egg warm on its feet.

      Arctic tern
      The Arctic tern flies from one polar region to the other and back every year.

      Hummingbird
      Hummingbirds can fly backwards; their wings beat dozens of times each second.

      Giant panda
      The giant panda is a bear that lives almost only on bamboo.

      Platypus
      The platypus lays eggs although it is a mammal. The male has a venomous spur.

      Japanese macaque
      The Japanese macaque lives farther north than any other monkey and warms itself in hot springs.

      Red-crowned crane
      The red-crowned crane, a symbol of long life in Japan, dances with its partner in the snow.

      Tardigrade
      Tardigrades are less than a millimetre long and survive drought, frost and even open space.
      """,
    japanese: """
      シロナガスクジラ
      シロナガスクジラは地球の歴史で最も大きな動物で、オキアミを食べる。

      アフリカゾウ
      アフリカゾウは陸上で最も重い動物で、長い鼻で水を飲み、物をつかむ。

      キリン
      キリンの首の骨の数は人間と同じ七つである。

      チーター
      チーターは陸上で最も速く走る動物だが、長くは走り続けられない。

      タコ
      タコは三つの心臓と八本の腕をもち、一瞬で体の色を変える。

      ミツバチ
      ミツバチは花のある場所をダンスで仲間に伝える。

      コウテイペンギン
      コウテイペンギンは南極の冬に卵を産み、雄が足の上で温める。

      ジャイアントパンダ
      ジャイアントパンダはクマの仲間だが、ほとんど竹だけを食べる。

      カモノハシ
      カモノハシは哺乳類なのに卵を産む動物で、オーストラリアにすむ。

      ニホンザル
      ニホンザルは人間を除いて最も北にすむ霊長類で、温泉に入る群れもいる。

      タンチョウ
      タンチョウは頭の赤い鶴で、北海道の湿原で踊るように求愛する。

      オオサンショウウオ
      オオサンショウウオは西日本の川にすむ世界最大級の両生類である。

      トキ
      トキは日本では一度絶滅した鳥で、佐渡島で再び野生に戻された。

      カブトムシ
      カブトムシの雄は大きな角をもち、夏の夜に樹液に集まる。

      クマムシ
      クマムシは体長一ミリメートルに満たないが、乾燥や低温、真空にも耐える。
      """)
}
