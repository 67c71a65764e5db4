import { describe, expect, test } from '@jest/globals'
import { type DiffLine, diffLines } from '../../src/lib/line-diff.ts'
import fc from '../support/fast-check.ts'

const formatted = (hunks: DiffLine[][]) =>
  hunks.map((lines) => lines.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`))

describe('diffLines', () => {
  test('returns nothing for equal texts', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([])
  })

  test('returns the changed lines with three lines of context', () => {
    const before = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14']
    const after = before.with(4, 'four').toSpliced(13, 1)
    expect(formatted(diffLines(before.join('\n'), after.join('\n')))).toEqual([
      [' 1', ' 2', ' 3', '-4', '+four', ' 5', ' 6', ' 7'],
      [' 10', ' 11', ' 12', '-13', ' 14'],
    ])
  })

  test('combines changes that are close to each other, and returns their line numbers', () => {
    expect(diffLines('a\nb\nc\nd', 'a\nB\nc\nd\ne')).toEqual([
      [
        { kind: 'same', text: 'a', from: 1, to: 1 },
        { kind: 'removed', text: 'b', from: 2 },
        { kind: 'added', text: 'B', to: 2 },
        { kind: 'same', text: 'c', from: 3, to: 3 },
        { kind: 'same', text: 'd', from: 4, to: 4 },
        { kind: 'added', text: 'e', to: 5 },
      ],
    ])
  })

  test('returns the changes that lead from any text to any other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const result: string[] = [...a]
        for (const line of diffLines(a.join('\n'), b.join('\n')).flat().toReversed())
          if (line.kind === 'removed') result.splice(line.from - 1, 1)
        for (const line of diffLines(a.join('\n'), b.join('\n')).flat())
          if (line.kind === 'added') result.splice(line.to - 1, 0, line.text)
        expect(result.join('\n')).toBe(b.join('\n'))
      }),
    )
  })
})
