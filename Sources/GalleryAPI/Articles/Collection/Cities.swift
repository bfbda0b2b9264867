// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Cities.
  static let cities = Self(
    english: """
      Tokyo
      Tokyo is the capital of Japan and the centre of the largest urban area in the world.
      Until 1868 the city was called Edo.

      Kyoto
      Kyoto was the seat of the Japanese emperors for more than a thousand years.
      It is known for its temples, gardens and wooden town houses.

      Osaka
      Osaka is a port in western Japan that grew rich by trading rice.
      People there like to say that they eat until they drop.

      Paris
      Paris lies on the river Seine and is the capital of France.
      Its iron tower was built for a world's fair in 1889.

      London
      London, on the Thames, began as a Roman town called Londinium.
      It opened the first underground railway of the world in 1863.

      Rome
      Rome is the capital of Italy and surrounds Vatican City, the smallest state on Earth.

      Cairo
      Cairo is the capital of Egypt. The pyramids of Giza stand on the western edge of its urban area.

      Istanbul
      Istanbul spreads over two continents; the strait of the Bosporus divides it.
      Earlier names of the city are Byzantium and Constantinople.

      São Paulo
      São Paulo is the most populous city of Brazil and home of a large community of Japanese descent.

      New York City
      New York City consists of five boroughs at the mouth of the Hudson River.
      The headquarters of the United Nations stand there.

      Sydney
      Sydney is the largest city of Australia. Its opera house has a roof that looks like sails.

      Reykjavík
      Reykjavík in Iceland is the northernmost capital of a sovereign state.
      Hot water from the ground heats most of its houses.

      Singapore
      Singapore is a city and a state at once, on an island close to the equator.
      It has four official languages.
      """,
    japanese: """
      東京
      東京は日本の首都で、世界最大級の都市圏の中心である。
      一八六八年までは江戸と呼ばれていた。

      京都市
      京都は千年以上にわたって天皇の御所があった古都で、寺院や庭園、町家で知られる。

      大阪市
      大阪は西日本の港町で、江戸時代には米の取引で栄え、天下の台所と呼ばれた。

      札幌市
      札幌は北海道の道庁所在地である。
      毎年二月には大通公園に大きな雪像が並ぶ。

      横浜市
      横浜は東京の南にある港町で、一八五九年の開港とともに発展した。
      日本最大級の中華街がある。

      金沢市
      金沢は加賀藩の城下町として栄えた。
      金箔の生産と庭園の兼六園が有名である。

      長崎市
      長崎の出島は、江戸時代にオランダとの貿易が許された場所だった。

      奈良市
      奈良は八世紀に都が置かれた町である。
      東大寺の大仏と公園の鹿に多くの人が訪れる。

      広島市
      広島は太田川の三角州に広がる町である。
      平和記念公園と原爆ドームが核兵器の恐ろしさを伝えている。

      那覇市
      那覇は沖縄県の県庁所在地で、琉球王国の首里城があった。

      ロンドン
      ロンドンはテムズ川沿いの町で、一八六三年に世界で初めて地下鉄が開通した。

      パリ
      パリはフランスの首都で、セーヌ川が町の中を流れる。
      エッフェル塔は一八八九年の万国博覧会のために建てられた。

      イスタンブール
      イスタンブールはボスポラス海峡をはさんでヨーロッパとアジアにまたがる町である。
      """)
}
