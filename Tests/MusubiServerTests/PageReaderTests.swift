// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiServer

@Suite struct `The elements of a page` {
  /// Each element with the one that it stands in: `li<ul`.
  private func parents(_ html: String) -> [String] {
    PageReader.elements(of: html).map { element in
      element.parent.map { "\(element.tag)<\($0.tag)" } ?? element.tag
    }
  }

  @Test(arguments: [
    ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "ul li<ul li<ul ul<li li<ul li<ul"),
    ("<ul><li><div>a<li>b</ul>", "ul li<ul div<li li<ul"),
    ("<dl><dt>a<dd>b<dt>c</dl>", "dl dt<dl dd<dl dt<dl"),
    ("<p>a<p>b<b>c<div>d</div></p>", "p p b<p div"),
    ("<p><button><p>a</button></p>", "p button<p p<button"),
    ("<p><template><p><i></i></p></template><b></b></p>", "p template<p p<template i<p b<p"),
    ("<p><template></p><i></i></template><b></b></p>", "p template<p i<template b<p"),
    (
      "<table><thead><tr><th>a<th>b<tbody><tr><td>c<td><b>d<tr><td>e</table>",
      "table thead<table tr<thead th<tr th<tr tbody<table tr<tbody td<tr td<tr b<td tr<tbody td<tr"
    ),
    (
      "<table><tr><td><table><tr><td>a<td>b</table><td>c",
      "table tr<table td<tr table<td tr<table td<tr td<tr td<tr"
    ),
    (
      "<select><option>a<optgroup><option>b<option>c<optgroup><option>d</select>",
      "select option<select optgroup<select option<optgroup option<optgroup optgroup<select option<optgroup"
    ),
    ("<ruby>a<rt>b<rt>c</ruby>", "ruby rt<ruby rt<ruby"),
    (
      "<svg><path/><g><path /><circle r=1/></g><use></svg><i/><b></b>",
      "svg path<svg g<svg path<g circle<g use<svg i b<i"
    ),
    (
      "<svg><foreignObject><p/><b></b></foreignObject><a/></svg>",
      "svg foreignobject<svg p<foreignobject b<p a<svg"
    ),
  ])
  func `end where a browser ends them`(_ html: String, _ expected: String) {
    #expect(parents(html).joined(separator: " ") == expected)
  }

  @Test func `of a large page without end tags take memory in proportion to it`() {
    let rows = PageReader.elements(of: String(repeating: "<tr><td>a<td>b", count: 20_000))
    let deep = PageReader.elements(of: String(repeating: "<b><svg><path d=''/></svg>", count: 20_000))

    #expect(rows.count == 60_000 && rows.allSatisfy { $0.parent == nil || $0.parent?.parent == nil })
    #expect(deep.count == 60_000 && deep.last?.ancestors.count(where: { $0.tag == "b" }) == 20_000)
  }
}
