// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Plants and fungi.
  static let plants = Self(
    english: """
      Bamboo
      Bamboo is a grass. Some kinds grow almost a metre in one day.

      Ginkgo biloba
      The ginkgo is the last of a group of trees that lived with the dinosaurs.

      Giant sequoia
      The giant sequoia of California is the largest tree by volume; its bark withstands fire.

      Baobab
      The baobab stores water in its thick trunk and can live for more than a thousand years.

      Sunflower
      Young sunflowers turn with the sun. The seeds in the head lie in spirals that follow Fibonacci numbers.

      Tulip
      The tulip came from the Ottoman Empire to the Netherlands, where its bulbs were once as dear as houses.

      Rice
      Rice feeds about half of mankind. It grows best in flooded fields.

      Wheat
      Wheat was first grown in the Near East about ten thousand years ago.

      Potato
      The potato comes from the Andes, where people have grown it for thousands of years.

      Venus flytrap
      The Venus flytrap closes its leaf when an insect touches two of its hairs in a row.

      Cherry blossom
      The blossom of the cherry tree opens from the south of Japan to the north, from March to May.

      Lotus | Nelumbo nucifera
      The lotus keeps its leaves clean: water runs off and takes the dirt with it.

      Yeast
      Yeasts are fungi of a single cell that turn sugar into alcohol and gas.
      """,
    japanese: """
      竹
      竹はイネ科の植物で、一日に一メートル近く伸びることがある。

      イチョウ
      イチョウは恐竜の時代から生きのびた木で、秋に葉が黄色になる。

      サクラ
      サクラは春に咲き、開花は三月から五月にかけて南から北へ進む。

      ウメ
      ウメは寒いうちに花を開き、実は梅干しになる。

      スギ
      スギは日本に多い針葉樹で、柱や板に使われる。

      イネ
      イネは水を張った田で育てられ、米は世界の人口の半分ほどの主食である。

      ヒマワリ
      ヒマワリの種はらせん状に並び、その数にはフィボナッチ数が現れる。

      ジャガイモ
      ジャガイモはアンデス山脈が原産で、涼しい土地でもよく育つ。

      ハス
      ハスの葉は水をはじき、泥水の中でも汚れない。

      アサガオ
      アサガオは夏の朝に咲くつる植物で、江戸時代に多くの変わり咲きがつくられた。

      ハエトリグサ
      ハエトリグサは虫が感覚毛に二度触れると葉を閉じて捕らえる。

      マツタケ
      マツタケは赤松の林に生える香りの高いきのこで、栽培は難しい。

      コウジカビ
      コウジカビは味噌や醤油、日本酒づくりに欠かせない微生物である。
      """)
}
