// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Arts, buildings and writing.
  static let arts = Self(
    english: """
      Mona Lisa
      Leonardo da Vinci painted the Mona Lisa on a panel of poplar. It hangs in the Louvre.

      The Great Wave off Kanagawa
      Hokusai's woodblock print shows a wave that towers above boats and a small Mount Fuji.

      Ukiyo-e
      Ukiyo-e are Japanese woodblock prints of actors, landscapes and daily life. They impressed Van Gogh.

      Haiku
      A haiku is a short poem of seventeen sounds in three lines, usually with a word for the season.

      The Tale of Genji
      Murasaki Shikibu wrote the Tale of Genji about a thousand years ago at the court of Kyoto.

      Kabuki
      Kabuki is a theatre with music, dance and strong make-up. All parts are played by men.

      Noh
      Noh is one of the oldest forms of theatre still played; its actors wear masks of wood.

      Origami
      Origami makes figures from one sheet of paper, mostly without scissors or glue.

      Kintsugi
      Kintsugi repairs broken pottery with lacquer and gold, so that the crack becomes part of its beauty.

      Himeji Castle
      Himeji Castle, white as a heron, has survived wars and earthquakes for four hundred years.

      Great Wall of China
      The Great Wall was built over many centuries; its parts together are thousands of kilometres long.

      Taj Mahal
      Shah Jahan built the Taj Mahal in Agra as a tomb for his wife Mumtaz.

      Hangul
      The Korean alphabet Hangul was published in 1446; its letters picture how the mouth forms the sounds.

      Esperanto
      Esperanto is a language that L. L. Zamenhof designed in 1887 to be learnt quickly.
      """,
    japanese: """
      浮世絵
      浮世絵は役者や風景や暮らしを描いた絵で、多くは木版画で刷られた。

      神奈川沖浪裏
      葛飾北斎の版画で、大きな波の向こうに小さな富士山が見える。

      俳句
      俳句は五・七・五の十七音からなる短い詩で、季語を入れる。

      短歌
      短歌は五・七・五・七・七の三十一音からなる歌である。

      源氏物語
      源氏物語は千年ほど前に紫式部が書いた長い物語で、光源氏の生涯を描く。

      枕草子
      枕草子は清少納言の随筆で、春はあけぼのという言葉で始まる。

      歌舞伎
      歌舞伎は音楽と踊りのある芝居で、すべての役を男の役者が演じる。

      能楽
      能は面をつけて演じる芸能で、室町時代に大成された。

      折り紙
      折り紙は一枚の紙を折って鶴などの形をつくる遊びである。

      金継ぎ
      金継ぎは割れた器を漆でつなぎ、継ぎ目を金で飾る技である。

      姫路城
      姫路城は白い壁の美しい城で、四百年前の天守が今も残る。

      法隆寺
      法隆寺は奈良県にある寺で、現存する世界最古の木造建築がある。

      万里の長城
      万里の長城は中国の北に長い年月をかけて築かれた城壁である。

      平仮名
      平仮名は漢字を崩した形から生まれた文字で、平安時代に広まった。
      """)
}
