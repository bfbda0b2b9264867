// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Foods and drinks.
  static let foods = Self(
    english: """
      Sushi
      Sushi is rice seasoned with vinegar, served with raw fish or vegetables.
      Its ancestor was fish preserved in fermenting rice.

      Ramen
      Ramen are wheat noodles in a hot broth. The recipe came from China and has countless local forms in Japan.

      Tofu
      Tofu is made by curdling soy milk and pressing the curds into blocks.

      Miso
      Miso is a paste of fermented soybeans, salt and a mould called koji. Dissolved in broth it makes a soup.

      Bread
      Bread is baked from flour and water, often raised by yeast. People baked it before they farmed.

      Cheese
      Cheese keeps the value of milk for months or years. Holes in it come from bubbles of gas.

      Pizza
      Pizza was street food in Naples before it conquered the world.
      The classic one has tomatoes, mozzarella and basil.

      Chocolate
      Chocolate is made from the seeds of the cacao tree. The Maya and the Aztecs drank it, bitter and spiced.

      Coffee
      The coffee plant comes from Ethiopia. Its seeds are roasted, ground and brewed.

      Tea
      Green, black and oolong tea come from the same shrub; what differs is how the leaves are treated.

      Kimchi
      Kimchi is a Korean dish of fermented vegetables, mostly cabbage with chilli and garlic.

      Paella
      Paella is a rice dish from Valencia in Spain that is cooked in a wide, flat pan.

      Curry
      Curry is a name for many spiced dishes. British sailors brought one of its forms to Japan.

      Maple syrup
      Maple syrup is the sap of maple trees, boiled down. About forty litres of sap give one litre.
      """,
    japanese: """
      寿司
      寿司は酢飯に魚や野菜を合わせた料理である。
      もとは魚を米と一緒に発酵させた保存食だった。

      ラーメン
      ラーメンは中国から伝わった麺料理で、醤油、味噌、塩、豚骨など土地ごとに味が違う。

      うどん
      うどんは小麦粉でつくる太い麺である。
      香川県の讃岐うどんはこしの強さで知られる。

      蕎麦
      蕎麦はそばの実の粉からつくる細い麺で、大晦日に食べる習慣がある。

      豆腐
      豆腐は豆乳をにがりで固めた食べ物である。

      味噌
      味噌は大豆と麹と塩を発酵させた調味料で、汁や鍋に使う。

      納豆
      納豆は蒸した大豆を納豆菌で発酵させた食べ物で、糸を引く。

      天ぷら
      天ぷらは魚や野菜に衣をつけて油で揚げた料理である。
      名前はポルトガル語から来たといわれる。

      お好み焼き
      お好み焼きは小麦粉の生地にキャベツなどを混ぜ、鉄板で焼く料理である。
      広島では具を重ねて焼く。

      緑茶
      緑茶は摘んだ葉をすぐに蒸して発酵を止めた茶である。

      和菓子
      和菓子は餡や米粉などでつくる日本の菓子で、季節の花や風景をかたどる。

      チョコレート
      チョコレートはカカオの種からつくる菓子である。
      マヤやアステカの人々は飲み物にしていた。

      コーヒー
      コーヒーの木はエチオピアが原産で、種を焙煎し、ひいて湯を注ぐ。

      カレーライス
      カレーライスは明治時代にイギリスを通じて日本に伝わり、海軍の食事からも広まった。
      """)
}
