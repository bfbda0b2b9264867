// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Mountains, islands and deserts.
  static let mountains = Self(
    english: """
      Mount Fuji
      Mount Fuji, 3,776 metres high, is the highest mountain of Japan.
      The volcano erupted for the last time in 1707.

      Mount Everest
      Everest, on the border of Nepal and China, is the highest mountain above the sea.
      Edmund Hillary and Tenzing Norgay first reached its top in 1953.

      Matterhorn
      The Matterhorn is a mountain of the Alps whose shape is close to a pyramid. It was first climbed in 1865.

      Kilimanjaro
      Kilimanjaro in Tanzania is the highest mountain of Africa and carries ice close to the equator.

      Mauna Kea
      Mauna Kea on Hawaii would be the highest mountain if it were measured from the floor of the ocean.

      Aconcagua
      Aconcagua in the Andes of Argentina is the highest mountain outside Asia.

      Sahara
      The Sahara is the largest hot desert. Only about a quarter of it is covered with sand.

      Atacama Desert
      In the Atacama in Chile there are places where years pass without rain.
      Astronomers value its clear sky.

      Greenland
      Greenland is the largest island that is not a continent. Ice covers about four fifths of it.

      Madagascar
      Madagascar has been an island for about ninety million years.
      Most of its animals, such as the lemurs, live nowhere else.

      Grand Canyon
      The Colorado River has cut the Grand Canyon up to 1,800 metres deep into the rock of Arizona.

      Yakushima
      Yakushima is a mountainous island in southern Japan with cedars that are thousands of years old.
      """,
    japanese: """
      富士山
      富士山は標高三千七百七十六メートルで、日本で最も高い山である。
      最後の噴火は一七〇七年に起こった。

      北岳
      北岳は山梨県にある山で、富士山に次いで日本で二番目に高い。

      立山
      立山は富山県にある山で、春には道の両側に高い雪の壁ができる。

      阿蘇山
      阿蘇山は熊本県の活火山で、世界有数の大きなカルデラをもつ。

      桜島
      桜島は鹿児島湾にある火山である。
      一九一四年の大噴火で大隅半島とつながった。

      高尾山
      高尾山は東京の西にある山で、都心から電車で行けるため登山者が多い。

      屋久島
      屋久島は鹿児島県の島で、樹齢数千年の杉が育つ。

      佐渡島
      佐渡島は新潟県の島で、江戸時代には金山で栄えた。

      エベレスト
      エベレストはネパールと中国の境にある世界で最も高い山である。
      一九五三年に初めて登頂された。

      キリマンジャロ
      キリマンジャロはタンザニアにあるアフリカで最も高い山で、赤道の近くなのに氷河がある。

      サハラ砂漠
      サハラ砂漠は世界最大の熱い砂漠で、砂におおわれているのは四分の一ほどである。

      鳥取砂丘
      鳥取砂丘は日本海に面した砂丘で、冬の風が運ぶ砂が高い丘をつくる。
      """)
}
