import { findSurveyTheme } from '../../domain/survey/texts.ts'
import { MIN_TEXT_CONTRAST, measureAccent, type Palette, palettesOf } from '../../domain/theme/palette.ts'
import { resolveTheme, type Theme } from '../../domain/theme/theme.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import type { PageResult } from '../page.ts'
import type { SignedInRequest } from '../session.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

type Colors = Pick<Theme, 'accent_color' | 'background_color'>

/** Says what pages do with the colours of a theme, and shows a button and a link on light and on dark devices. */
export function colorSample(colors: Colors): Html {
  const { light, dark } = palettesOf(colors.accent_color, colors.background_color)
  return html`<div class="color-sample">
    <p class="hint" role="status" data-contrast>${adviceOn(colors)}</p>
    ${sampleView(light, 'light', t('Light devices'))} ${sampleView(dark, 'dark', t('Dark devices'))}
  </div>`
}

/** Says which colours are used, and which contrast the accent colour has. */
function adviceOn({ accent_color, background_color }: Colors): string {
  const ratio = measureAccent(accent_color, background_color)
  if (ratio >= MIN_TEXT_CONTRAST) return t('Contrast {ratio}:1. Easy to read.', { ratio })
  const { light } = palettesOf(accent_color, background_color)
  const values = { ratio, fill: light.fill, accent: light.accent }
  return light['on-fill'] === '#000000'
    ? t(
        'Contrast {ratio}:1. Buttons are {fill} with black text. Links and outlines are {accent}, the nearest shade that is easy to read.',
        values,
      )
    : t(
        'Contrast {ratio}:1. Buttons are {fill} with white text. Links and outlines are {accent}, the nearest shade that is easy to read.',
        values,
      )
}

/** Renders a button and a link in the colours of a palette. `theme.js` changes the colours while the author chooses. */
const sampleView = (palette: Palette, scheme: 'light' | 'dark', label: string): Html => html`<figure>
  <svg viewBox="0 0 240 64" aria-hidden="true" focusable="false" data-scheme="${scheme}">
    <rect width="240" height="64" rx="6" fill="${palette.card}" data-fill="card" />
    <rect x="13" y="13" width="134" height="38" rx="6" fill="${palette.fill}" stroke="${palette.accent}"
      data-fill="fill" data-stroke="accent" />
    <text x="80" y="37" text-anchor="middle" font-weight="600" fill="${palette['on-fill']}" data-fill="on-fill">
      Button
    </text>
    <text x="193" y="37" text-anchor="middle" text-decoration="underline" fill="${palette.accent}" data-fill="accent">
      Link
    </text>
  </svg>
  <figcaption>${label}</figcaption>
</figure>`

/** Returns the advice and the palettes for the two colours in the query. */
export async function measureSurveyTheme(request: SurveyRequest): Promise<PageResult> {
  const { account } = await findSurveyTheme(request.context, request.survey.id)
  return colorReply(request, account)
}

/** Does the same as {@link measureSurveyTheme} for the theme of an account. */
export const measureAccountTheme = async (request: SignedInRequest): Promise<PageResult> => colorReply(request, {})

/** Returns whether a text is a colour of six hexadecimal digits after a number sign. */
export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

function colorReply({ query }: SignedInRequest, inherited: Partial<Theme>): PageResult {
  const base = resolveTheme(inherited)
  const colors = {
    accent_color: query.get('accent_color') || base.accent_color,
    background_color: query.get('background_color') || base.background_color,
  }
  if (!isColor(colors.accent_color) || !isColor(colors.background_color))
    return { json: { text: t('Enter colours such as #1f5f8b.') } }
  return {
    json: { text: adviceOn(colors), palettes: palettesOf(colors.accent_color, colors.background_color) },
  }
}
