// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Musical instruments.
  static let instruments = Self(
    english: """
      Piano
      The piano strikes its strings with felt hammers, so that the player's touch decides how loud a note is.
      Bartolomeo Cristofori built the first ones around 1700.

      Violin
      The violin has four strings tuned in fifths. Makers in Cremona set the standard for it in the 17th century.

      Cello
      The cello is tuned an octave below the viola and is held between the knees.

      Guitar
      The guitar usually has six strings that are plucked. Electric ones turn their movement into a current.

      Flute
      A flute sounds when air is blown across an edge. Flutes of bone are among the oldest instruments known.

      Clarinet
      The clarinet has a single reed and a range of more than three octaves.

      Trumpet
      The trumpet is a brass instrument; its three valves lengthen the tube.

      Pipe organ
      A pipe organ has a pipe for each note of each stop, up to many thousands.

      Koto
      The koto is a Japanese zither with thirteen strings over movable bridges.

      Shamisen
      The shamisen has three strings and a body covered with skin; it is played with a large plectrum.

      Taiko
      Taiko are Japanese drums. The largest are carved from a single trunk.

      Sitar
      The sitar is a long-necked lute of northern India with strings that resonate by themselves.

      Theremin
      The theremin is an electronic instrument that is played without touching it.
      """,
    japanese: """
      ピアノ
      ピアノは鍵盤を押すとハンマーが弦を打つ楽器で、弾く強さで音の大きさが変わる。
      一七〇〇年ごろイタリアで発明された。

      ヴァイオリン
      ヴァイオリンは四本の弦を弓でこすって音を出す。
      十七世紀のクレモナの名器が今も使われている。

      ギター
      ギターはふつう六本の弦を指やピックではじく楽器である。

      フルート
      フルートは横に構えて吹く笛で、今は金属製でも木管楽器に数えられる。

      トランペット
      トランペットは唇の振動で鳴る金管楽器で、三つのバルブで音を変える。

      オルガン
      パイプオルガンは風を管に送って鳴らす楽器で、管の数は数千本になることもある。

      箏
      箏は十三本の弦を張った楽器で、柱を動かして音の高さを決める。

      三味線
      三味線は三本の弦をもち、胴に皮を張り、撥で弾く楽器である。

      尺八
      尺八は竹でつくる縦笛で、名前は一尺八寸という長さから来ている。

      和太鼓
      和太鼓は祭りや芸能で打たれる太鼓で、大きなものは一本の幹をくりぬいてつくる。

      琵琶
      琵琶は撥で弾く弦楽器で、琵琶法師は平家物語を語るときに弾いた。

      ハーモニカ
      ハーモニカは息を吹いたり吸ったりして金属のリードを鳴らす小さな楽器である。
      """)
}
