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
  test('derives a light and a dark palette with the contrast of WCAG AA from every accepted pair of colours', () => {
    fc.assert(
      fc.property(color, color, (accent, background) => {
        fc.pre(measureAccent(accent, background).ratio >= MIN_TEXT_CONTRAST)
        const { light, dark } = palettesOf(accent, background)
        expect([lowContrasts(light), lowContrasts(dark)]).toEqual([[], []])
      }),
      { numRuns: 100 },
    )
  })

  test('does not change an accepted accent colour in the light scheme', () => {
    const { light } = palettesOf(defaultTheme.accent_color, defaultTheme.background_color)
    expect(light).toMatchObject({ accent: defaultTheme.accent_color, paper: defaultTheme.background_color })
  })
})

describe('measureAccent', () => {
  test('suggests an accent colour that is accepted', () => {
    fc.assert(
      fc.property(color, color, (accent, background) => {
        const { suggestion } = measureAccent(accent, background)
        if (suggestion) expect(measureAccent(suggestion, background).ratio).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST)
      }),
    )
  })
})
