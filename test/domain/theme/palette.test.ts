import { describe, expect, test } from '@jest/globals'
import {
  contrast,
  MIN_CONTROL_CONTRAST,
  MIN_TEXT_CONTRAST,
  measureAccent,
  type Palette,
  palettesOf,
} from '../../../src/domain/theme/palette.ts'
import { defaultTheme } from '../../../src/domain/theme/theme.ts'
import fc from '../../support/fast-check.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

/** Each text colour of a page, with the background colours on which it is used. */
const TEXTS = {
  ink: ['paper', 'card', 'field', 'accent-wash', 'bad-wash', 'good-wash'],
  soft: ['paper', 'card'],
  accent: ['paper', 'card', 'field'],
  'accent-deep': ['paper', 'card'],
  'on-accent': ['accent', 'accent-deep'],
  'on-fill': ['fill', 'fill-deep'],
  bad: ['paper', 'card', 'bad-wash'],
} as const satisfies Partial<Record<keyof Palette, readonly (keyof Palette)[]>>

function lowContrasts(palette: Palette): string[] {
  const pairs = Object.entries(TEXTS).flatMap(([text, surfaces]) =>
    surfaces.map((surface) => [text as keyof Palette, surface, MIN_TEXT_CONTRAST] as const),
  )
  return [...pairs, ['line', 'field', MIN_CONTROL_CONTRAST] as const, ['accent', 'card', MIN_CONTROL_CONTRAST] as const]
    .filter(([text, surface, min]) => contrast(palette[text], palette[surface]) < min)
    .map(([text, surface]) => `${text} ${palette[text]} on ${surface} ${palette[surface]}`)
}

describe('palettesOf', () => {
  test('derives a light and a dark palette with the contrast of WCAG AA from every pair of colours', () => {
    fc.assert(
      fc.property(color, color, (accent, background) => {
        const { light, dark } = palettesOf(accent, background)
        expect([lowContrasts(light), lowContrasts(dark)]).toEqual([[], []])
      }),
      { numRuns: 300 },
    )
  })

  test('fills buttons with the accent colour itself, and gives its text the colour that is easier to read', () => {
    fc.assert(
      fc.property(color, color, (accent, background) => {
        const { light } = palettesOf(accent, background)
        expect(light.fill).toBe(accent)
      }),
    )
    const { light, dark } = palettesOf('#f2b705', defaultTheme.background_color)
    expect([light.fill, light['on-fill'], dark.fill]).toEqual(['#f2b705', '#000000', '#f2b705'])
    expect(palettesOf('#1f5f8b', '#ffffff').light['on-fill']).toBe('#ffffff')
  })

  test('keeps the look of a theme whose accent colour is readable: links and buttons have one colour', () => {
    fc.assert(
      fc.property(color, color, (accent, background) => {
        fc.pre(measureAccent(accent, background) >= MIN_TEXT_CONTRAST)
        const { light, dark } = palettesOf(accent, background)
        for (const palette of [light, dark])
          expect([palette.fill, palette['fill-deep'], palette['on-fill']]).toEqual([
            palette.accent,
            palette['accent-deep'],
            palette['on-accent'],
          ])
        expect(light.accent).toBe(accent)
      }),
      { numRuns: 200 },
    )
  })
})
