import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { problems } from '../../domain/problem.ts'
import type { LanguageText } from '../../domain/structure/questionnaire.ts'
import { type Palette, palettesOf } from '../../domain/theme/palette.ts'
import {
  CORNERS,
  type Corners,
  defaultTheme,
  FONTS,
  type Font,
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

/** Changes with the code that derives the style sheet, so that browsers may cache a style sheet permanently. */
const CODE_DIGEST = createHash('sha256')
  .update(readFileSync(new URL('../../domain/theme/palette.ts', import.meta.url)))
  .update(JSON.stringify([FONT_FAMILIES, RADII]))
  .digest('hex')
  .slice(0, 8)

type Style = Pick<Theme, 'accent_color' | 'background_color' | 'font' | 'corners'>
const STYLE_MEMBERS = ['accent_color', 'background_color', 'font', 'corners'] as const

/** Returns the path of the style sheet of a theme; undefined for the default look. The path contains the whole style. */
export function themeSheetPath(theme: Style): string | undefined {
  if (STYLE_MEMBERS.every((name) => theme[name] === defaultTheme[name])) return undefined
  const values = STYLE_MEMBERS.map((name) => theme[name].replace('#', ''))
  return `/themes/${values.join('-')}.${CODE_DIGEST}.css`
}

const SHEET = new RegExp(
  `^([0-9a-f]{6})-([0-9a-f]{6})-(${FONTS.join('|')})-(${CORNERS.join('|')})\\.[0-9a-f]{8}\\.css$`,
)

/**
 * Sends the style sheet that its path describes.
 * @throws {Problem} `survey_not_found` for any other path
 */
export async function showThemeSheet({ ctx, params }: PageRequest): Promise<PageResult> {
  const [, accent, background, font, corners] = SHEET.exec(params.sheet ?? '') ?? []
  if (!accent) throw problems.surveyNotFound()
  cachePermanently(ctx)
  const style = { accent_color: `#${accent}`, background_color: `#${background}`, font, corners } as Style
  return { file: styleSheet(style), type: 'text/css; charset=utf-8' }
}

/** Returns the style sheet of a style. */
export function styleSheet({ accent_color, background_color, font, corners }: Style): string {
  const hasColors = accent_color !== defaultTheme.accent_color || background_color !== defaultTheme.background_color
  const { light, dark } = palettesOf(accent_color, background_color)
  const [card, control] = RADII[corners]
  const colors = hasColors
    ? `:root{${light === dark ? 'color-scheme:dark;' : ''}${variables(light)}}@media (prefers-color-scheme:dark){:root{${variables(dark)}}}`
    : ''
  const family = font === 'system' ? '' : `font-family:${FONT_FAMILIES[font]};`
  return `${colors}:root{${family}--radius:${card};--radius-control:${control}}`
}

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')

/** Lets browsers keep a reply whose address changes with its content. */
export const cachePermanently = (ctx: PageRequest['ctx']) =>
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable')

/** Returns a text of a theme as a text of a survey. A text in all languages counts as one in the shown language. */
const textOf = (text: ThemeText, { language }: Translator): LanguageText =>
  typeof text === 'string' ? { [language]: text } : text

/** Returns whether a text of a theme is empty in every language. */
export const isBlank = (text: ThemeText): boolean =>
  typeof text === 'string' ? text.trim() === '' : Object.values(text).every((one) => one.trim() === '')

/** Renders a text of a theme in the language of the page. */
export const themeText = (text: ThemeText, i18n: Translator): Part => i18n.surveyText(textOf(text, i18n))

/** Renders the logo above the title. The logo is as high as its file, but at most as high as the style sheet says. */
export const logoView = ({ logo, logo_text }: Theme): Part =>
  logo &&
  html`<p class="logo"><img src="${logoPath(logo)}" width="${logo.width}" height="${logo.height}" alt="${logo_text}"></p>`

/** Renders a list of links; nothing without links. */
export const linkList = (links: readonly ThemeLink[], i18n: Translator): Part =>
  links.length > 0 &&
  html`<ul class="links">${links.map(
    ({ label, url }) =>
      html`<li><a href="${url}" target="_blank" rel="noopener noreferrer">${isBlank(label) ? new URL(url).host : themeText(label, i18n)}</a></li>`,
  )}</ul>`

/** Renders the footer; nothing without one. */
export const footerView = ({ footer }: Theme, i18n: Translator): Part =>
  footer &&
  (!isBlank(footer.text) || footer.links.length > 0) &&
  html`<footer class="footer">${!isBlank(footer.text) && html`<p>${themeText(footer.text, i18n)}</p>`}${linkList(footer.links, i18n)}</footer>`

/** Renders the message after the last question. */
export function thankYouView(theme: Theme, message: string, i18n: Translator): Html {
  const { texts, text } = i18n
  const { title = '', text: body = '', links = [] } = theme.thank_you_page ?? {}
  const bodyText = isBlank(body)
    ? message
      ? inOwnDirection(message, i18n.language)
      : text(texts.thankYou)
    : themeText(body, i18n)
  return html`<section class="message"><h2>${isBlank(title) ? text(texts.thankYouTitle) : themeText(title, i18n)}</h2><p>${bodyText}</p>${linkList(links, i18n)}</section>`
}
