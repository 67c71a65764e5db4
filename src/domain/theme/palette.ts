import { colord, extend } from 'colord'
import a11y from 'colord/plugins/a11y'
import mix from 'colord/plugins/mix'

extend([a11y, mix])

/** The colours of a page, by the name of their CSS variable. */
export type Palette = Readonly<Record<ColorName, string>>
type ColorName =
  | 'paper'
  | 'card'
  | 'field'
  | 'ink'
  | 'soft'
  | 'line'
  | 'faint'
  | 'accent'
  | 'accent-deep'
  | 'accent-wash'
  | 'on-accent'
  | 'fill'
  | 'fill-deep'
  | 'on-fill'
  | 'bad'
  | 'bad-wash'
  | 'good-wash'

/** The minimum contrast of text (WCAG 2.2, 1.4.3). */
export const MIN_TEXT_CONTRAST = 4.5
/** The minimum contrast of the borders of controls (WCAG 2.2, 1.4.11). */
export const MIN_CONTROL_CONTRAST = 3

const LIGHT = { paper: '#f6f5f2', ink: '#1d2126', soft: '#565e68', line: '#8a929c', bad: '#b3261e', good: '#1a7f37' }
const DARK = { paper: '#16181b', ink: '#eceef0', soft: '#a9b1ba', line: '#767f89', bad: '#ff9c93', good: '#57c785' }
const DARK_CARD = '#1f2226'

/** Returns the contrast of two colours (WCAG 2.2), rounded down to two decimals. */
export const contrast = (one: string, other: string): number => colord(one).contrast(other)

const lowestContrast = (color: string, surfaces: readonly string[]) =>
  Math.min(...surfaces.map((surface) => contrast(color, surface)))

/** Returns whether white text is easier to read on a colour than black text. */
export const isDark = (color: string): boolean => contrast(color, '#ffffff') > contrast(color, '#000000')

/** Returns the surfaces of a page with this background on which the page shows texts in the accent colour. */
function surfacesOf(background: string): readonly string[] {
  return [background, isDark(background) ? wash(background, '#ffffff', '#ffffff') : '#ffffff']
}

/** The possible shares of the tint in a {@link wash}. The first one is preferred. */
const WASH_RATIOS = [0.1, 0.05]

const blend = (color: string, other: string, ratio: number) => colord(color).mix(other, ratio).toHex()

/** Returns a colour of the same hue that has at least this contrast with each surface. */
function readable(color: string, surfaces: readonly string[], min: number): string {
  const { h, s, l } = colord(color).toHsl()
  const step = isDark(surfaces[0]!) ? 1 : -1
  for (let lightness = l; lightness >= 0 && lightness <= 100; lightness += step) {
    const candidate = lightness === l ? color : colord({ h, s, l: lightness }).toHex()
    if (lowestContrast(candidate, surfaces) >= min) return candidate
  }
  return step > 0 ? '#ffffff' : '#000000'
}

/** Returns the contrast of an accent colour with the surfaces of a page with this background. */
export const measureAccent = (accent: string, background: string): number =>
  lowestContrast(accent, surfacesOf(background))

/** Returns a surface with a tint on which text in the colour `ink` is readable. */
function wash(surface: string, tint: string, ink: string): string {
  const tinted = WASH_RATIOS.map((ratio) => blend(surface, tint, ratio))
  return tinted.find((color) => contrast(ink, color) >= MIN_TEXT_CONTRAST) ?? surface
}

/** Returns the colour of texts on a filled area: white, or black where white is hard to read. */
const textOn = (color: string) => (contrast(color, '#ffffff') >= MIN_TEXT_CONTRAST ? '#ffffff' : '#000000')

/**
 * Derives all colours of a page. Every text has the contrast that WCAG AA requires, whatever the accent colour and the
 * background are: links and outlines have the nearest shade of the accent colour that is readable.
 * @param fillColor the colour of filled buttons; by default the shade of links. Their text is white or black.
 */
function derive(accentColor: string, paper: string, card: string, fillColor?: string): Palette {
  const dark = isDark(paper)
  const base = dark ? DARK : LIGHT
  const surfaces = [paper, card]
  const strongest = dark ? '#ffffff' : '#000000'
  const accent = readable(accentColor, surfaces, MIN_TEXT_CONTRAST)
  const ink = readable(base.ink, surfaces, MIN_TEXT_CONTRAST)
  const fill = fillColor ?? accent
  const onFill = textOn(fill)
  const badWash = wash(card, base.bad, ink)
  return {
    paper,
    card,
    field: dark ? paper : card,
    ink,
    soft: readable(base.soft, surfaces, MIN_TEXT_CONTRAST),
    line: readable(base.line, surfaces, MIN_CONTROL_CONTRAST),
    faint: blend(card, strongest, 0.12),
    accent,
    'accent-deep': blend(accent, colord(accent).luminance() < colord(paper).luminance() ? '#000000' : '#ffffff', 0.25),
    'accent-wash': wash(card, accent, ink),
    'on-accent': textOn(accent),
    fill,
    'fill-deep': blend(fill, onFill === '#ffffff' ? '#000000' : '#ffffff', 0.25),
    'on-fill': onFill,
    bad: readable(base.bad, [...surfaces, badWash], MIN_TEXT_CONTRAST),
    'bad-wash': badWash,
    'good-wash': wash(card, base.good, ink),
  }
}

/**
 * Returns the colours of a page in a light and in a dark scheme. A dark background is used in both schemes. A light
 * background is replaced in the dark scheme. Filled buttons have the accent colour, in the dark scheme its readable
 * shade.
 */
export function palettesOf(accent: string, background: string): { light: Palette; dark: Palette } {
  const light = derive(accent, background, surfacesOf(background)[1]!, accent)
  return { light, dark: isDark(background) ? light : derive(accent, DARK.paper, DARK_CARD) }
}
