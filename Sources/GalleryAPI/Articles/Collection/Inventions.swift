// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Inventions.
  static let inventions = Self(
    english: """
      Wheel
      The oldest wheels that were found are more than five thousand years old.

      Paper
      Paper was invented in China about two thousand years ago and reached Europe through the Arab world.

      Printing press
      Johannes Gutenberg printed with movable metal type in Mainz around 1450.

      Compass
      A magnetic compass points north because the Earth itself is a magnet. Chinese sailors used it first.

      Telescope
      The telescope was built in the Netherlands in 1608; a year later Galileo turned one to the sky.

      Microscope
      With a microscope of his own, Antonie van Leeuwenhoek was the first to see bacteria.

      Steam engine
      James Watt's separate condenser made the steam engine use far less coal.

      Telephone
      Alexander Graham Bell received a patent for the telephone in 1876.

      Light bulb | Incandescent light bulb
      Thomas Edison and Joseph Swan both made light bulbs that lasted long enough to be sold.

      Airplane
      The brothers Wright made the first controlled flight with an engine in 1903. It lasted twelve seconds.

      Transistor
      The transistor of 1947 replaced the vacuum tube; a chip today holds billions of them.

      World Wide Web
      Tim Berners-Lee invented the World Wide Web at CERN in 1989 to share documents among scientists.

      QR code
      The QR code was developed in 1994 in Japan to follow the parts of cars through a factory.

      Instant noodles
      Momofuku Ando invented instant noodles in Osaka in 1958; they are fried to dry them.

      Shinkansen
      The Shinkansen, a railway for high speed, has run between Tokyo and Osaka since 1964.
      """,
    japanese: """
      車輪
      車輪は五千年以上前から使われてきた発明で、見つかった最古のものは木でできている。

      紙
      紙は二千年ほど前に中国で発明され、アラブ世界を通ってヨーロッパに伝わった。

      活版印刷
      グーテンベルクは一四五〇年ごろ、金属の活字を使う印刷を始めた。

      羅針盤
      羅針盤は地球の磁気を利用して北を示す道具で、航海に欠かせなかった。

      望遠鏡
      望遠鏡は一六〇八年にオランダでつくられ、翌年ガリレオが空に向けた。

      顕微鏡
      レーウェンフックは自作の顕微鏡で初めて細菌を観察した。

      蒸気機関
      蒸気機関はワットの改良によって石炭の消費が減り、産業革命を支えた。

      電話
      電話は声を電気の信号に変えて送る。ベルは一八七六年に特許を得た。

      飛行機
      ライト兄弟は一九〇三年に動力飛行に成功した。最初の飛行は十二秒だった。

      トランジスタ
      トランジスタは一九四七年に発明され、真空管に代わって電子機器を小さくした。

      新幹線
      新幹線は一九六四年に東京と大阪の間で開業した高速鉄道である。

      即席麺
      即席麺は一九五八年に安藤百福が大阪で発明した、湯を注ぐだけの麺である。

      二次元コード
      二次元コードの一つであるＱＲコードは、一九九四年に日本で自動車部品の管理のために開発された。

      青色発光ダイオード
      青色発光ダイオードの発明によって白い光の照明が可能になり、日本の三人の研究者がノーベル賞を受けた。
      """)
}
