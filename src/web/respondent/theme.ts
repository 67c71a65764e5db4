import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { problems } from '../../domain/problem.ts'
import type { LanguageText } from '../../domain/structure/questionnaire.ts'
import { type Palette, palettesOf } from '../../domain/theme/palette.ts'
import {
  CORNERS,
  type Corners,
  coverPath,
  defaultTheme,
  FONTS,
  type Font,
  type FontFile,
  fontPath,
  logoPath,
  type Theme,
  type ThemeLink,
  type ThemeText,
} from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { inOwnDirection, type Translator } from '../i18n/i18n.ts'
import type { PageRequest, PageResult } from '../page.ts'

const FONT_FAMILIES: Readonly<Record<Font, string>> = {
  system: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  sans: 'Inter, "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif',
  serif: '"Iowan Old Style", Charter, "Palatino Linotype", Georgia, "Liberation Serif", serif',
  rounded:
    'ui-rounded, "SF Pro Rounded", "Hiragino Maru Gothic ProN", Quicksand, Nunito, "Arial Rounded MT Bold", sans-serif',
  mono: 'ui-monospace, "Cascadia Code", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
}
const RADII: Readonly<Record<Corners, readonly [card: string, control: string]>> = {
  square: ['0', '0'],
  rounded: ['0.625rem', '0.5rem'],
  round: ['1.5rem', '1.25rem'],
}

/**
 * A digest that changes if the code that generates style sheets changes. It is part of the path of a style sheet, so
 * that browsers may cache the style sheet permanently.
 */
const CODE_DIGEST = createHash('sha256')
  .update(readFileSync(new URL('../../domain/theme/palette.ts', import.meta.url)))
  .update(JSON.stringify([FONT_FAMILIES, RADII, fontFace({ digest: '', isVariable: true })]))
  .digest('hex')
  .slice(0, 8)

type Style = Pick<Theme, 'accent_color' | 'background_color' | 'font' | 'corners'> & {
  font_file: Pick<FontFile, 'digest' | 'isVariable'> | undefined
}
const STYLE_MEMBERS = ['accent_color', 'background_color', 'font', 'corners'] as const

/**
 * Returns the path of the style sheet of a theme; undefined for the default theme. The path contains all settings from
 * which the style sheet is generated.
 */
export function themeSheetPath(theme: Style): string | undefined {
  const { font_file } = theme
  if (!font_file && STYLE_MEMBERS.every((name) => theme[name] === defaultTheme[name])) return undefined
  const values = STYLE_MEMBERS.map((name) => theme[name].replace('#', ''))
  if (font_file) values.push(`${font_file.digest}${font_file.isVariable ? 'v' : ''}`)
  return `/themes/${values.join('-')}.${CODE_DIGEST}.css`
}

const FILE = '(?:-([0-9a-f]{32})(v?))?'
const SHEET = new RegExp(
  `^([0-9a-f]{6})-([0-9a-f]{6})-(${FONTS.join('|')})-(${CORNERS.join('|')})${FILE}\\.[0-9a-f]{8}\\.css$`,
)

/**
 * Sends the style sheet for the settings in its name.
 * @throws {Problem} `survey_not_found` for any other name
 */
export function showThemeSheet({ ctx }: PageRequest, name: string): PageResult {
  const [, accent, background, font, corners, digest, variable] = SHEET.exec(name) ?? []
  if (!accent) throw problems.surveyNotFound()
  cachePermanently(ctx)
  const font_file = digest ? { digest, isVariable: variable === 'v' } : undefined
  const style = { accent_color: `#${accent}`, background_color: `#${background}`, font, corners, font_file } as Style
  return { file: styleSheet(style), type: 'text/css; charset=utf-8' }
}

/** Generates the style sheet for the style settings. */
export function styleSheet({ accent_color, background_color, font, corners, font_file }: Style): string {
  const hasColors = accent_color !== defaultTheme.accent_color || background_color !== defaultTheme.background_color
  const { light, dark } = palettesOf(accent_color, background_color)
  const [card, control] = RADII[corners]
  const ofDark = `@media (prefers-color-scheme:dark){:root{${variables(dark)}}}`
  const colors = hasColors ? `:root{${light === dark ? 'color-scheme:dark;' : ''}${variables(light)}}${ofDark}` : ''
  const own = font_file ? '"Own font",' : ''
  const family = font === 'system' && !own ? '' : `font-family:${own}${FONT_FAMILIES[font]};`
  return `${font_file ? fontFace(font_file) : ''}${colors}:root{${family}--radius:${card};--radius-control:${control}}`
}

/** The address is relative to that of the style sheet. */
function fontFace(file: NonNullable<Style['font_file']>): string {
  const source = `url(${path.basename(fontPath(file))}) format("woff2")`
  const weights = file.isVariable ? ';font-weight:100 900' : ''
  return `@font-face{font-family:"Own font";src:${source};font-display:swap${weights}}`
}

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')

/** Lets browsers cache a reply permanently. The address of the reply must change if its content changes. */
export const cachePermanently = (ctx: PageRequest['ctx']) =>
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable')

/**
 * Converts a text of a theme to a text of a survey. A text for all languages becomes a text in the language of the
 * page.
 */
const textOf = (text: ThemeText, { language }: Translator): LanguageText =>
  typeof text === 'string' ? { [language]: text } : text

/** Returns whether a text of a theme is empty in every language. */
export const isBlank = (text: ThemeText): boolean =>
  typeof text === 'string' ? text.trim() === '' : Object.values(text).every((one) => one.trim() === '')

/** Renders a text of a theme in the language of the page. */
export const themeText = (text: ThemeText, i18n: Translator): Part => i18n.surveyText(textOf(text, i18n))

/**
 * Renders the logo above the title. The height of the logo is that of the image file, but at most the maximum in the
 * style sheet.
 */
export const logoView = ({ logo, logo_text }: Theme): Part =>
  logo &&
  html`<p class="logo">
    <img src="${logoPath(logo)}" width="${logo.width}" height="${logo.height}" alt="${logo_text}">
  </p>`

/** Renders the cover picture of the first page. */
export const coverView = ({ cover, cover_text }: Theme): Part =>
  cover &&
  html`<p class="cover">
    <img src="${coverPath(cover)}" width="${cover.width}" height="${cover.height}" alt="${cover_text}">
  </p>`

/** Renders a list of links. Renders nothing if there are no links. */
export const linkList = (links: readonly ThemeLink[], i18n: Translator): Part =>
  links.length > 0 &&
  html`<ul class="links">
    ${links.map(
      ({ label, url }) =>
        html`<li>
          <a href="${url}" target="_blank" rel="noopener noreferrer">
            ${isBlank(label) ? new URL(url).host : themeText(label, i18n)}
          </a>
        </li>`,
    )}
  </ul>`

/**
 * Renders the footer of a theme. Renders nothing if it is empty.
 * @param privacyLink the link to the page about the data of an anonymous survey
 */
export function footerView(
  { footer = { text: '', links: [] } }: Theme,
  i18n: Translator,
  ...notes: readonly Part[]
): Part {
  const parts = [!isBlank(footer.text) && html`<p>${themeText(footer.text, i18n)}</p>`, linkList(footer.links, i18n)]
  return (
    [...parts, ...notes].some(Boolean) &&
    html`<footer class="footer">${parts}${notes.map((note) => note && html`<p>${note}</p>`)}</footer>`
  )
}

/** Renders the message that respondents see after the last page. */
export function thankYouView(theme: Theme, message: string, i18n: Translator): Html {
  const { texts, text } = i18n
  const { title = '', text: body = '', links = [] } = theme.thank_you_page ?? {}
  const bodyText = isBlank(body)
    ? message
      ? inOwnDirection(message, i18n.language)
      : text(texts.thankYou)
    : themeText(body, i18n)
  return html`<section class="message">
    <h2>${isBlank(title) ? text(texts.thankYouTitle) : themeText(title, i18n)}</h2>
    <p>${bodyText}</p>
    ${linkList(links, i18n)}
  </section>`
}
