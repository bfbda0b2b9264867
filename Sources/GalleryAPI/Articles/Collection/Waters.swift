// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Rivers, lakes and seas.
  static let waters = Self(
    english: """
      Nile
      The Nile flows north through eleven countries to the Mediterranean Sea.
      Its yearly flood made farming possible in ancient Egypt.

      Amazon River
      The Amazon carries more water than any other river, about a fifth of what all rivers bring to the seas.

      Danube
      The Danube touches ten countries on its way from the Black Forest to the Black Sea.

      Rhine
      The Rhine rises in the Swiss Alps and reaches the North Sea near Rotterdam.
      It is one of the busiest waterways of Europe.

      Mississippi River
      The Mississippi drains much of North America and forms a large delta in the Gulf of Mexico.

      Yangtze
      The Yangtze is the longest river of Asia. The Three Gorges Dam holds it back in its middle course.

      Shinano River
      The Shinano is the longest river of Japan, with a length of 367 kilometres.

      Lake Biwa
      Biwa is the largest lake of Japan and several million years old. The city of Kyoto drinks its water.

      Lake Baikal
      Baikal in Siberia is the deepest lake on Earth and holds about a fifth of its unfrozen fresh water.

      Dead Sea
      The Dead Sea is a lake so salty that people float on it. Its shore is the lowest land on Earth.

      Pacific Ocean
      The Pacific covers about a third of the Earth's surface.
      Its deepest place is in the Mariana Trench, almost eleven kilometres down.

      Suez Canal
      The Suez Canal joins the Mediterranean and the Red Sea. Ships have used it since 1869, without a lock.
      """,
    japanese: """
      信濃川
      信濃川は全長三百六十七キロメートルで、日本で最も長い川である。
      長野県では千曲川と呼ばれる。

      利根川
      利根川は関東平野を流れる川で、流域面積は日本一である。

      隅田川
      隅田川は東京の下町を流れ、夏には花火大会が開かれる。

      淀川
      淀川は琵琶湖から流れ出て、大阪湾に注ぐ。

      四万十川
      四万十川は四国で最も長い川で、欄干のない沈下橋が残っている。

      琵琶湖
      琵琶湖は滋賀県にある日本最大の湖で、数百万年の歴史をもつ古代湖である。

      摩周湖
      摩周湖は北海道にある、透明度の高いことで知られる湖である。
      流れ込む川も流れ出る川もない。

      瀬戸内海
      瀬戸内海は本州と四国と九州に囲まれた内海で、七百を超える島がある。

      ナイル川
      ナイル川はアフリカ大陸を北へ流れ、地中海に注ぐ。
      毎年の洪水が古代エジプトの農業を支えた。

      アマゾン川
      アマゾン川は南アメリカを流れ、水の量は世界の川の中で最も多い。

      ドナウ川
      ドナウ川はドイツの黒い森から黒海まで、十か国を通って流れる。

      バイカル湖
      バイカル湖はシベリアにある世界で最も深い湖で、固有のアザラシがすむ。
      """)
}
