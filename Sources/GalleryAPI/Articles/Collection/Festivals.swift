// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Festivals and customs.
  static let festivals = Self(
    english: """
      Gion Matsuri
      In July, the Gion Matsuri fills the streets of Kyoto with tall wooden floats.
      It began as a prayer against an epidemic.

      Tanabata
      On Tanabata people write wishes on strips of paper and hang them on bamboo.
      The stars Vega and Altair are said to meet on that night.

      Obon
      At Obon families in Japan welcome the spirits of their ancestors with lanterns and dances.

      Hanami
      Hanami is the custom of sitting under blooming cherry trees and eating together.

      Nebuta | Aomori Nebuta Matsuri
      In the Nebuta of Aomori large lit figures of warriors are drawn through the night.

      Carnival of Venice
      The Carnival of Venice is known for its masks, which once hid rich and poor alike.

      Oktoberfest
      The Oktoberfest in Munich goes back to a wedding in 1810. It starts in September.

      Diwali
      Diwali is the Indian festival of lights; rows of small oil lamps burn in front of the houses.

      Holi
      At Holi people in India throw coloured powder to greet the spring.

      Day of the Dead
      On the Day of the Dead families in Mexico decorate altars with marigolds and skulls of sugar.

      Midsummer
      In Sweden people dance around a pole with leaves and flowers at midsummer.

      Songkran | Songkran (Thailand)
      Songkran is the New Year of Thailand; in April people pour water over each other.
      """,
    japanese: """
      祇園祭
      祇園祭は七月に京都で行われる祭りで、高い山鉾が通りを進む。
      疫病をしずめる祈りから始まった。

      天神祭
      天神祭は大阪の夏祭りで、多くの船が川を行き交い、花火が上がる。

      神田祭
      神田祭は東京の神田明神の祭りで、神輿が町をめぐる。

      ねぶた祭
      青森のねぶた祭では、武者などをかたどった大きな灯籠が夜の町を引かれる。

      七夕
      七夕には願いごとを短冊に書いて笹に飾る。
      織姫と彦星が一年に一度会う夜とされる。

      お盆
      お盆には先祖の霊を迎え、盆踊りを踊る。

      花見
      花見は桜の下に集まって食べたり飲んだりする春の習慣である。

      節分
      節分には、鬼は外、福は内と言いながら豆をまく。

      雛祭り
      三月三日の雛祭りには人形を飾って女の子の成長を祝う。

      正月
      正月には門松を立て、雑煮を食べ、神社や寺に初詣に行く。

      阿波踊り
      阿波踊りは徳島の盆踊りで、連と呼ばれる組が町を踊り歩く。

      ディワリ
      ディワリはインドの光の祭りで、家の前に小さな灯を並べる。
      """)
}
