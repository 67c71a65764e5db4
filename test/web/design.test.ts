import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'

const ASSETS = 'src/web/assets'
const design = readFileSync('docs/design.md', 'utf8')
const base = readFileSync(`${ASSETS}/survey/base.css`, 'utf8')
const sheets = ['app', 'survey'].flatMap((folder) =>
  readdirSync(`${ASSETS}/${folder}`)
    .filter((file) => file.endsWith('.css'))
    .map((file) => readFileSync(`${ASSETS}/${folder}/${file}`, 'utf8')),
)

/** Returns the first match of a pattern in each style sheet, without repetitions and sorted. */
const usedIn = (pattern: RegExp) =>
  [...new Set(sheets.flatMap((sheet) => [...sheet.matchAll(pattern)].map(([, value]) => value!)))].sort()

const DARK = base.indexOf('prefers-color-scheme: dark')
/** Returns a colour of the style sheets; undefined if it is not a number. */
const colourOf = (name: string, part: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(part)?.[1]
const colours = [...design.matchAll(/^\| ([\w-]+) \| (#[0-9a-f]{6}) \| (#[0-9a-f]{6}) \|/gm)].map(
  ([, name, light, dark]) => ({ name: name!, light: light!, dark: dark! }),
)

/** Returns the relative luminance of a colour as WCAG 2.2 defines it. */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

describe('docs/design.md', () => {
  test('lists the sizes of text that the style sheets have', () => {
    const sizes = [...design.matchAll(/^\| ([\d.]+rem) \|/gm)].map(([, size]) => size!)
    expect(usedIn(/font-size: ([\d.]+rem)/g)).toEqual([...sizes].sort())
  })

  test('lists the colours that the style sheets have', () => {
    const [light, dark] = [base.slice(0, DARK), base.slice(DARK)]
    expect(colours.length).toBeGreaterThan(10)
    for (const colour of colours)
      expect(colour).toEqual({
        name: colour.name,
        light: colourOf(colour.name, light),
        dark: colourOf(colour.name, dark),
      })
    const named = [...light.matchAll(/--([\w-]+): #/g)].map(([, name]) => name!)
    expect(named.sort()).toEqual(colours.map(({ name }) => name).sort())
  })

  test.each([
    ...['paper', 'card', 'field', 'accent-wash', 'good-wash', 'bad-wash'].map((on) => ['ink', on, 4.5] as const),
    ...['paper', 'card', 'accent-wash'].map((on) => ['soft', on, 4.5] as const),
    ...['paper', 'card', 'accent-wash'].map((on) => ['accent', on, 4.5] as const),
    ...['card', 'bad-wash'].map((on) => ['bad', on, 4.5] as const),
    ['on-accent', 'accent', 4.5],
    ['on-accent', 'accent-deep', 4.5],
    ['line', 'field', 3],
    ['good', 'good-wash', 3],
  ])('has enough contrast of %s on %s in both themes', (text, background, least) => {
    const [one, other] = [text, background].map((wanted) => colours.find(({ name }) => name === wanted)!)
    expect(contrastOf(one!.light, other!.light)).toBeGreaterThanOrEqual(least)
    expect(contrastOf(one!.dark, other!.dark)).toBeGreaterThanOrEqual(least)
  })

  test('lists the widths at which pages change', () => {
    const sentence = /Pages change at these widths:([^.]*(?:\.\d[^.]*)*)\./.exec(design)![1]!
    const widths = [...sentence.matchAll(/(\d+)rem/g)].map(([, width]) => width!)
    const used = usedIn(/@media [^{]*?(?:min|max)-width: ([\d.]+)rem/g)
    // Just below a width is the same place.
    expect([...new Set(used.map((width) => String(Math.ceil(Number(width)))))].sort()).toEqual(widths.sort())
  })

  test('says how wide the content is', () => {
    const half = /calc\(50% - (\d+)rem\)/.exec(readFileSync(`${ASSETS}/app/shell.css`, 'utf8'))![1]
    expect(design).toContain(`at most ${Number(half) * 2}rem wide`)
  })
})
