// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Sports and games.
  static let sports = Self(
    english: """
      Association football
      Football is played by two teams of eleven. Only the goalkeeper may use the hands.

      Baseball
      Baseball came to Japan in the 1870s; the tournament of the high schools fills a stadium every summer.

      Basketball
      James Naismith invented basketball in 1891, with two baskets for peaches.

      Tennis
      In tennis the points of a game are counted 15, 30, 40, probably after the face of a clock.

      Sumo
      In sumo a wrestler loses who leaves the ring or touches the ground with more than the soles.

      Judo
      Jigoro Kano founded judo in 1882. It has been an Olympic sport since 1964.

      Kendo
      Kendo is fencing with swords of bamboo and protective armour.

      Marathon
      A marathon is 42.195 kilometres long, a distance that goes back to the games of London in 1908.

      Swimming | Swimming (sport)
      Of the four strokes in swimming races, the front crawl is the fastest.

      Sport climbing
      In sport climbing, boulder problems are solved without a rope above thick mats.

      Ski jumping
      Ski jumpers spread their skis like a V, which carries them farther than parallel ones.

      Chess
      In chess there are more possible games than atoms in the universe that we can see.

      Go | Go (game)
      Go is played with black and white stones on a board of 19 by 19 lines. Its rules are few, its depth is great.

      Shogi
      In shogi, the Japanese chess, captured pieces return to the board on the other side.
      """,
    japanese: """
      サッカー
      サッカーは十一人ずつの二組で行い、手を使えるのはゴールキーパーだけである。

      野球
      野球は明治時代に日本に伝わり、夏の高校野球は甲子園球場で行われる。

      バスケットボール
      バスケットボールは一八九一年に桃のかごを使って始まった。

      相撲
      相撲では、土俵から出るか、足の裏以外が地面につくと負けになる。

      柔道
      柔道は一八八二年に嘉納治五郎が始め、一九六四年にオリンピックの競技になった。

      剣道
      剣道は竹刀と防具を使う武道で、面、胴、小手、突きを打つ。

      弓道
      弓道は長い和弓で的を射る武道である。

      マラソン
      マラソンの距離四十二・一九五キロメートルは、一九〇八年のロンドン大会にさかのぼる。

      駅伝
      駅伝はたすきをつなぐ長距離のリレーで、正月の箱根駅伝は人気が高い。

      水泳
      水泳の四つの泳ぎ方のうち、最も速いのはクロールである。

      スキージャンプ
      スキージャンプでは板をＶ字に開くと、そろえるより遠くへ飛べる。

      囲碁
      囲碁は十九本ずつの線を引いた盤に白と黒の石を置いて、囲んだ広さを競う。

      将棋
      将棋では取った駒を自分の駒として再び打つことができる。

      けん玉
      けん玉は玉を皿にのせたり剣にさしたりする遊びである。
      """)
}
