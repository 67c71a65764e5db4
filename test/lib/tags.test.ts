import { describe, expect, test } from '@jest/globals'
import { stripTags } from '../../src/lib/tags.ts'
import fc from '../support/fast-check.ts'

describe('stripTags', () => {
  test.each([
    ['<p>Hello <b>you</b></p>', 'Hello you'],
    ['a < b', 'a < b'],
    ['a<b', 'a<b'],
    ['1 <2 and 3> 2', '1 <2 and 3> 2'],
    ['I <3 you > me', 'I <3 you > me'],
    ['<a title="x > y" href=z>link</a>', 'link'],
    ["<a title='x > y'>link</a>", 'link'],
    ['<img alt="never closed>text', 'text'],
    ['a <!-- <b> --> c', 'a  c'],
    ['a <!-- unclosed', 'a <!-- unclosed'],
    ['<br/>x<br />y', 'xy'],
    ['<!DOCTYPE html><?php 1 ?>x', 'x'],
    ['</ b> </b>', '</ b> '],
    ['<', '<'],
    ['<<b>x', '<x'],
    ['&lt;b&gt; &amp;', '&lt;b&gt; &amp;'],
    ['<script>x</script>', 'x'],
    ['unclosed <b', 'unclosed <b'],
  ])('changes %j to %j', (text, expected) => expect(stripTags(text)).toBe(expected))

  test('keeps a text without < unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const plain = text.replaceAll('<', '')
        expect(stripTags(plain)).toBe(plain)
      }),
    )
  })

  test.each(['<a ="', "<a x='", '<!--', '<', '<b', '</', '<a "\'="'])(
    'takes linear time for 100,000 repetitions of %j',
    (part) => {
      const start = performance.now()
      stripTags(part.repeat(100_000))
      expect(performance.now() - start).toBeLessThan(10_000)
    },
  )
})
