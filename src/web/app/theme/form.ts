import type { StructureLanguage } from '../../../domain/structure/structure.ts'
import {
  CORNERS,
  FONTS,
  LAYOUTS,
  logoPath,
  MAX_LINKS,
  resolveTheme,
  type Theme,
  type ThemeLink,
  type ThemeText,
} from '../../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { SummaryField } from '../../forms/error-summary.ts'
import { type FieldErrorTexts, field, labelled, textArea } from '../../forms/field.ts'
import { select } from '../../forms/select.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** The data of the form of a theme. */
export interface ThemeFormView {
  theme: Partial<Theme>
  /** The theme whose values apply if a field is blank. */
  inherited: Partial<Theme>
  /**
   * The languages in which the form shows each text. An entry with an empty `code` means one text for all languages.
   */
  languages: readonly Pick<StructureLanguage, 'code' | 'name'>[]
  errors: FieldErrorTexts
}

const LABELS = perLanguage(
  () =>
    ({
      font: {
        system: t('System'),
        sans: t('Sans serif'),
        serif: t('Serif'),
        rounded: t('Rounded'),
        mono: t('Monospaced'),
      },
      corners: { square: t('Square'), rounded: t('Slightly rounded'), round: t('Round') },
      layout: { page: t('All questions of a page'), question: t('One question at a time') },
    }) as const,
)

/** Returns the fields beside which the form shows errors, in the order of the page. */
export const themeFormFields = (): SummaryField[] => [
  { name: 'accent_color', label: t('Accent colour') },
  { name: 'background_color', label: t('Background colour') },
  { name: 'font', label: t('Font') },
  { name: 'corners', label: t('Corners') },
  { name: 'layout', label: t('Layout') },
  { name: 'logo', label: t('Logo') },
  { name: 'logo_text', label: t('Logo description') },
  ...linkUrls('thank_you_page', (number) => t('URL of link {number} on the thank-you page', { number })),
  ...linkUrls('footer', (number) => t('URL of link {number} in the footer', { number })),
]

const linkUrls = (part: string, label: (number: number) => string): SummaryField[] =>
  Array.from({ length: MAX_LINKS }, (_, index) => ({ name: `${part}.links[${index}].url`, label: label(index + 1) }))

/** Renders the fields of a theme. */
export const themeFields = (view: ThemeFormView): Html =>
  html`${styleFields(view)}${logoFields(view)}${thankYouFields(view)}${footerFields(view)}`

function styleFields({ theme, inherited, errors }: ThemeFormView): Html {
  const base = resolveTheme(inherited)
  const color = (name: 'accent_color' | 'background_color', label: string, hint: string) =>
    field({
      name,
      label,
      hint: t('{hint} Leave blank for {value}.', { hint, value: base[name] }),
      value: theme[name] ?? '',
      attributes: html` placeholder="${base[name]}" maxlength="7" spellcheck="false" autocomplete="off" data-color`,
      errors,
    })
  const options = <Name extends keyof ReturnType<typeof LABELS>>(
    name: Name,
    label: string,
    values: readonly string[],
    hint?: string,
  ) => {
    const labels: Readonly<Record<string, string>> = LABELS()[name]
    const all = values.map((value) => ({ value, label: labels[value]! }))
    const inheritedLabel = t('Default ({value})', { value: labels[base[name]]! })
    return select({
      name,
      label,
      ...(hint && { hint }),
      value: theme[name] ?? '',
      options: [{ value: '', label: inheritedLabel }, ...all],
      errors,
    })
  }
  return html`<section class="card" aria-labelledby="style"><h2 id="style">Colours, font and layout</h2>
${color('accent_color', t('Accent colour'), t('Used for buttons, links and selected answers.'))}
${color('background_color', t('Background colour'), t('Respondents whose device is in dark mode see a dark background instead of a light one.'))}
<p class="hint" role="status" data-contrast hidden></p>
${options('font', t('Font'), FONTS, t('All fonts are fonts of the respondent’s device, so nothing is downloaded.'))}
${options('corners', t('Corners'), CORNERS)}
${options('layout', t('Layout'), LAYOUTS, t('“One question at a time” needs JavaScript. Browsers without JavaScript show the whole page.'))}</section>`
}

function logoFields({ theme: { logo, logo_text }, inherited, errors }: ThemeFormView): Html {
  return html`<section class="card" aria-labelledby="logo-title"><h2 id="logo-title">Logo</h2>
${logo && html`<p class="logo"><img src="${logoPath(logo)}" width="${logo.width}" height="${logo.height}" alt="Current logo"></p>`}
${labelled({ name: 'logo', label: logo ? t('New logo') : t('Logo'), hint: t('PNG, JPEG or WebP, at most 500 KB.'), errors }, (aria) => html`<input class="box" type="file" id="logo" name="logo" accept="image/png,image/jpeg,image/webp"${aria}>`)}
${field({ name: 'logo_text', label: t('Logo description'), hint: t('Describe the logo for people who cannot see it. For example, enter the name of your organisation.'), value: logo_text ?? '', attributes: html` maxlength="200"${inherited.logo_text && html` placeholder="${inherited.logo_text}"`}`, errors })}
${logo && html`<div class="field tickbox"><label><input type="checkbox" name="logo.remove" value="on"> Remove logo</label></div>`}</section>`
}

function thankYouFields(view: ThemeFormView): Html {
  const { title = '', text = '', links = [] } = view.theme.thank_you_page ?? {}
  return html`<section class="card" aria-labelledby="thanks"><h2 id="thanks">Thank-you page</h2><p class="hint">Shown after the last question. If you fill in only some of these fields, respondents see the default title instead of a blank title. Instead of a blank text, they see the thank-you message from the settings of the survey. If that is blank too, they see the default text.</p>
${textFields(view, 'thank_you_page.title', t('Title'), title)}${textFields(view, 'thank_you_page.text', t('Text'), text, 3)}${linkFields(view, 'thank_you_page', links)}</section>`
}

function footerFields(view: ThemeFormView): Html {
  const { text = '', links = [] } = view.theme.footer ?? {}
  return html`<section class="card" aria-labelledby="footer"><h2 id="footer">Footer</h2><p class="hint">Shown at the bottom of every page. For example, add links to your imprint and privacy policy.</p>
${textFields(view, 'footer.text', t('Text'), text, 2)}${linkFields(view, 'footer', links)}</section>`
}

/** Renders a field for each language of the form, and for each further language in which the text is stored. */
function textFields(
  { languages, errors }: ThemeFormView,
  name: string,
  label: string,
  text: ThemeText,
  rows = 1,
): Part {
  const stored: Readonly<Record<string, string>> = typeof text === 'string' ? { [languages[0]!.code]: text } : text
  const known = new Set(languages.map(({ code }) => code))
  const others = Object.keys(stored).filter((code) => !known.has(code))
  // If a separate text is stored for each language, the form has no field for one text in all languages. A text in that
  // field would make `parseThemeForm` ignore the fields for single languages.
  const own = others.length > 0 ? languages.filter(({ code }) => code !== '') : languages
  const shown = [...own, ...others.map((code) => ({ code, name: code }))]
  return shown.map(({ code, name: language }) => {
    const options = {
      name: `${name}.${code}`,
      label: shown.length > 1 ? `${label} (${language})` : label,
      value: stored[code] ?? '',
      errors,
    }
    return rows > 1 ? textArea({ ...options, prose: true, rows }) : field(options)
  })
}

/** Renders the stored links. Adds an empty row for another link if the number of links is below the maximum. */
function linkFields(view: ThemeFormView, name: string, links: readonly ThemeLink[]): Part {
  const rows = [...links, { label: '', url: '' }].slice(0, MAX_LINKS)
  return rows.map(
    ({ label, url }, index) =>
      html`<fieldset class="link-fields"><legend>Link ${index + 1}</legend>${textFields(view, `${name}.links[${index}].label`, t('Label'), label)}${field({ name: `${name}.links[${index}].url`, label: t('URL'), type: 'url', value: url, attributes: html` placeholder="https://"`, errors: view.errors })}</fieldset>`,
  )
}
