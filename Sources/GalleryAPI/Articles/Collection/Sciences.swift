// SPDX-License-Identifier: Apache-2.0

extension ArticleCollection.Topic {
  /// Sciences.
  static let sciences = Self(
    english: """
      Mathematics
      Mathematics proves its statements from few assumptions. A proof that was right once stays right.

      Prime number
      A prime number has exactly two divisors. Euclid showed that there is no largest one.

      Pi
      Pi is the ratio of a circle's circumference to its diameter. Its digits never repeat in a cycle.

      Gravity
      Gravity pulls all masses towards each other. Einstein described it as a curvature of space and time.

      Speed of light
      Light travels 299,792,458 metres in one second; the metre is defined by this number.

      Quantum mechanics
      Quantum mechanics describes nature on the smallest scale, where only probabilities can be foretold.

      Periodic table
      Dmitri Mendeleev ordered the elements in 1869 and left gaps for those not yet found.

      Photosynthesis
      By photosynthesis plants make sugar from water and carbon dioxide with the light of the sun.

      DNA
      DNA stores the hereditary information of living beings in a sequence of four building blocks.

      Evolution
      Evolution changes living beings over generations by heredity, variation and selection.

      Plate tectonics
      The plates of the Earth's crust move some centimetres in a year and cause earthquakes at their borders.

      Vaccine
      A vaccine shows the body a harmless part of a germ, so that it learns to fight the germ.

      Computer science
      Computer science asks what can be computed, and how fast. Alan Turing gave it a model machine in 1936.

      Information theory
      Claude Shannon founded information theory in 1948 and measured information in bits.
      """,
    japanese: """
      数学
      数学は少ない前提から定理を証明する学問で、一度正しく証明されたことは変わらない。

      素数
      素数は約数をちょうど二つもつ自然数で、無限に存在する。

      円周率
      円周率は円周と直径の比で、小数は循環せずに限りなく続く。

      重力
      重力は質量をもつものが引き合う力で、アインシュタインは時空の曲がりとして説明した。

      光速
      光は真空中を一秒間におよそ三十万キロメートル進む。

      量子力学
      量子力学は原子よりも小さな世界を記述する理論で、結果は確率でしか予言できない。

      周期表
      メンデレーエフは一八六九年に元素を並べ、まだ見つかっていない元素のための空欄を残した。

      光合成
      植物は光合成によって、水と二酸化炭素から糖をつくり酸素を出す。

      遺伝子
      遺伝子は生物の性質を親から子へ伝える情報で、ＤＮＡの並びに書かれている。

      進化
      進化とは、生物が世代を重ねるうちに変化していくことである。

      地震
      地震は岩盤が急にずれて起こる。日本は四つのプレートの境にあるため地震が多い。

      気象学
      気象学は大気の動きを調べ、天気を予報する学問である。

      情報理論
      情報理論はシャノンが一九四八年に始めた学問で、情報の量をビットで測る。

      和算
      和算は江戸時代の日本で発達した数学で、問題を絵馬に書いて神社に奉納した。
      """)
}
