import { afterAll, describe, expect, test } from '@jest/globals'
import { createPictures } from '../../src/lib/pictures.ts'
import { drawBars, drawColumns, drawDots } from '../../src/web/report/chart/bars.ts'
import { draw, drawTimeline, everyDay, svgFile } from '../../src/web/report/chart/draw.ts'
import { type Drawing, stepOf, truncateToWidth, widthOf, wrapText } from '../../src/web/report/chart/drawing.ts'
import { drawGauge, drawStacked } from '../../src/web/report/chart/stacked.ts'
import { type Plot, plotText, tableOf } from '../../src/web/report/plot.ts'
import fc from '../support/fast-check.ts'

const XSS_TEXT = '<script>alert("x")</script>&\'\u0000\u000b'

const bar = (label: string, count: number, percentage: number, href?: string) => ({ label, count, percentage, href })
const markupOf = ({ marks }: Drawing) => String(marks)
/** Returns the value of an attribute, as a number, for each shape with a class, in order. */
const numbers = (drawing: Drawing, element: string, className: string, attribute: string) =>
  [...markupOf(drawing).matchAll(new RegExp(`<${element}[^>]* class="${className}[^"]*"[^>]*>`, 'g'))].map(([shape]) =>
    Number(new RegExp(` ${attribute}="([^"]*)"`).exec(shape)![1]),
  )
const texts = (drawing: Drawing) =>
  [...markupOf(drawing).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)

describe('drawBars', () => {
  const three = [bar('Tea', 60, 60, '?q=0'), bar('Coffee', 30, 30, '?q=1'), bar('Neither', 0, 0)]

  test.each([340, 800])('draws bars in proportion to their shares at a width of %d', (width) => {
    const drawing = drawBars(three, width)
    const [tea = 0, coffee, neither] = numbers(drawing, 'rect', 'mark', 'width')
    expect(coffee).toBeCloseTo(tea / 2, 1)
    expect(neither).toBe(0)
    expect(new Set(numbers(drawing, 'rect', 'mark', 'x')).size).toBe(1)
    expect(texts(drawing)).toEqual(['Tea', '60%', '60', 'Coffee', '30%', '30', 'Neither', '0%', '0'])
    expect(Math.max(...numbers(drawing, 'rect', 'mark', 'y')) + 22).toBeLessThanOrEqual(drawing.height)
  })

  test('links bars to their responses, and draws a tiny share at least 2 px wide', () => {
    const drawing = drawBars([...three, bar('Rare', 1, 0, '?q=3')], 800)
    expect(drawing.areas.map(({ href, label }) => [href, label])).toEqual([
      ['?q=0', 'Only Tea'],
      ['?q=1', 'Only Coffee'],
      ['?q=3', 'Only Rare'],
    ])
    expect(numbers(drawing, 'rect', 'mark', 'width').at(-1)).toBe(2)
  })
})

describe('drawStacked', () => {
  const row = (label: string, ...counts: number[]) => {
    const answered = counts.reduce((sum, count) => sum + count, 0)
    return { label, answered, parts: counts.map((count) => ({ count, percentage: (count / answered) * 100 || 0 })) }
  }

  test('divides the width among the columns by their counts', () => {
    const drawing = drawStacked(['Bad', 'Fair', 'Good'], [row('Food', 1, 2, 1), row('Drink', 0, 0, 0)], 800)
    const [, , , bad = 0, fair = 0, good = 0, ...more] = numbers(drawing, 'rect', 'part', 'width')
    expect([fair / bad, good / bad, more]).toEqual([2, 1, []])
    expect(texts(drawing)).toEqual(['Bad', 'Fair', 'Good', 'Food', '25%', '50%', '25%', 'Drink', 'No answers'])
    const [, , , first, second] = numbers(drawing, 'rect', 'part', 'x')
    expect(second! - first!).toBeCloseTo(bad, 1)
  })

  test('orders the fills from light to dark', () => {
    expect([0, 1, 2].map((index) => stepOf(index, 3))).toEqual([0, 4, 8])
    expect(Array.from({ length: 12 }, (_, index) => stepOf(index, 12))).toEqual([0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8])
  })
})

describe('drawGauge', () => {
  const parts = [bar('Detractors', 1, 25), bar('Passives', 1, 25), bar('Promoters', 2, 50)]

  test('draws the score with its sign and the three shares', () => {
    const drawing = drawGauge(25, parts, 340)
    expect(texts(drawing)).toEqual(expect.arrayContaining(['+25', '25% · 1', '50% · 2']))
    const needle = (score: number) => numbers(drawGauge(score, parts, 340), 'line', 'needle', 'x2')[0]!
    expect(needle(100)).toBeCloseTo(125, 0)
    expect(needle(-100)).toBeCloseTo(-125, 0)
    expect(Math.abs(needle(0))).toBe(0)
  })

  test('draws no needle without answers', () => {
    expect(markupOf(drawGauge(null, [], 340))).not.toContain('needle')
    expect(texts(drawGauge(-10, parts, 340))[0]).toBe('\u221210')
  })
})

describe('drawColumns', () => {
  test('draws columns in proportion to their shares on one baseline', () => {
    const drawing = drawColumns([bar('0', 1, 10), bar('1', 4, 40), bar('2', 5, 50)], 800)
    const heights = numbers(drawing, 'rect', 'mark', 'height')
    expect(heights.map((height) => Math.round((height / heights[0]!) * 10))).toEqual([10, 40, 50])
    const bottoms = numbers(drawing, 'rect', 'mark', 'y').map((y, index) => Math.round(y + heights[index]!))
    expect(new Set(bottoms).size).toBe(1)
  })

  test('draws every column but labels only some if they are narrow', () => {
    const drawing = drawColumns(
      Array.from({ length: 50 }, (_, index) => bar(String(index), 1, 2)),
      300,
    )
    expect(numbers(drawing, 'rect', 'mark', 'x')).toHaveLength(50)
    expect(texts(drawing).filter((text) => /^\d+$/.test(text!))).toEqual([
      '0',
      '5',
      '10',
      '15',
      '20',
      '25',
      '30',
      '35',
      '40',
      '45',
    ])
  })
})

describe('drawDots', () => {
  test('draws a dot at each mean and none without a mean', () => {
    const dot = (mean: number | null) => ({ label: 'x', mean, count: 1 })
    const drawing = drawDots([dot(1), dot(2), dot(3), dot(null)], 1, 3, 800)
    const [low = 0, middle, high = 0, ...more] = numbers(drawing, 'circle', 'mark', 'cx')
    expect([middle, more]).toEqual([(low + high) / 2, []])
  })
})

describe('drawTimeline', () => {
  test('includes every day between the first and the last', () => {
    const days = everyDay([
      { day: '2024-02-28', count: 2 },
      { day: '2024-03-01', count: 1 },
    ])
    expect(days.map(({ at, count }) => [new Date(at).toISOString().slice(0, 10), count])).toEqual([
      ['2024-02-28', 2],
      ['2024-02-29', 0],
      ['2024-03-01', 1],
    ])
    expect(everyDay([])).toEqual([])
  })

  test('draws one day as a dot and several as a line', () => {
    expect(markupOf(drawTimeline([{ day: '2026-01-15', count: 3 }], 800))).not.toContain('<path')
    const drawing = drawTimeline(
      [
        { day: '2026-01-01', count: 1 },
        { day: '2026-01-02', count: 4 },
        { day: '2026-01-03', count: 2 },
      ],
      800,
    )
    const [first = 0, second = 0, third = 0] = numbers(drawing, 'circle', 'mark', 'cy')
    expect((first - second) / (third - second)).toBeCloseTo(1.5)
    expect(texts(drawing)).toEqual(expect.arrayContaining(['1 Jan', '3 Jan', '0', '4']))
  })
})

describe('text in charts', () => {
  test('wraps into lines that fit without losing characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 40, max: 400 }), (text, width) => {
        const lines = wrapText(text, width, 15, Number.POSITIVE_INFINITY)
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
        for (const line of lines) expect(Array.from(line).length === 1 || widthOf(line, 15) <= width).toBe(true)
      }),
    )
  })

  test('is truncated with … after the last line', () => {
    const lines = wrapText('one two three four five six', 60, 15, 2)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/…$/)
    expect(truncateToWidth('Pumpernickel', 60, 15)).toMatch(/^Pump.*…$/)
    expect(truncateToWidth('Rye', 60, 15)).toBe('Rye')
    expect(truncateToWidth('W'.repeat(30_000), 60, 15)).toBe('WWW…')
  })
})

describe('every kind of chart', () => {
  const pictures = createPictures()
  afterAll(() => pictures.close())

  const bars = [bar(XSS_TEXT, 2, 66.7), bar('b', 1, 33.3)]
  const plots: Plot[] = [
    { kind: 'bars', bars },
    { kind: 'columns', bars },
    { kind: 'stacked', columns: [XSS_TEXT, 'b'], rows: [{ label: XSS_TEXT, answered: 3, parts: bars }] },
    { kind: 'gauge', score: 10, parts: bars },
    { kind: 'dots', of: 'rank', low: 1, high: 2, dots: [{ label: XSS_TEXT, mean: 1.5, count: 2 }] },
    { kind: 'timeline', timeZone: 'UTC', days: [{ day: '2026-01-01', count: 1 }] },
  ]
  const file = (plot: Plot) =>
    svgFile(draw(plot, 800), { title: XSS_TEXT, note: XSS_TEXT, alt: plotText(plot, XSS_TEXT) })

  test.each(plots)('escapes labels, and renders as a PNG file: $kind', async (plot) => {
    const svg = file(plot)
    expect(svg).not.toContain('<script')
    expect(svg).toContain('&lt;script&gt;')
    const png = await pictures.png(svg)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect(png.readUInt32BE(16)).toBe(2 * (800 + 56))
  })

  test('has a limited number of pixels as a PNG file', async () => {
    const png = await pictures.png('<svg xmlns="http://www.w3.org/2000/svg" width="800" height="90000"></svg>')
    expect(png.readUInt32BE(16) * png.readUInt32BE(20)).toBeLessThan(8_100_000)
  })

  test.each(plots)('has a text alternative even without data, and a table with complete rows: $kind', (plot) => {
    const empty = { ...plot, bars: [], rows: [], parts: [], dots: [], days: [], score: null } as unknown as Plot
    expect(draw(empty, 340).height).toBeGreaterThanOrEqual(0)
    expect(plotText(empty, 'Title')).toMatch(/of “Title”\. (No answers|Score –)\.$/)
    expect(tableOf(plot).rows.every((row) => row.length === tableOf(plot).head.length)).toBe(true)
  })

  test('has a text alternative with its values', () => {
    expect(plotText({ kind: 'bars', bars: [bar('Tea', 1234, 12.3)] }, 'Drink')).toBe(
      'Bar chart of “Drink”. Tea: 12.3%, 1,234.',
    )
    const many = Array.from({ length: 20 }, (_, index) => bar(`a${index}`, 1, 5))
    expect(plotText({ kind: 'columns', bars: many }, 'Many')).toMatch(/; 8 more in the table\.$/)
  })
})
