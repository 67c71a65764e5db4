import { findSurveyTheme, updateSurveyTheme } from '../../domain/survey/texts.ts'
import { findWorkingCopy } from '../../domain/survey/working-copy.ts'
import type { ThemeChange } from '../../domain/theme/parse-theme.ts'
import { findAccountTheme, updateAccountTheme } from '../../domain/theme/store.ts'
import {
  CORNERS,
  FILE_MEMBERS,
  FONTS,
  LAYOUTS,
  MAX_LINKS,
  resolveTheme,
  type Theme,
  type ThemeLink,
  type ThemeText,
} from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import { errorSummary, type FormErrors, field, type SummaryField, select, textArea } from '../forms/field.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { backLink } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import type { SignedInRequest } from '../session.ts'
import { editMenu } from './builder/menu.ts'
import { firstPublication } from './builder/show.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'
import { colorSample, isColor } from './theme-colors.ts'
import { coverFields, fontField, logoFields, type ThemeFormView } from './theme-files.ts'

/** Shows the theme of a survey, with a preview. */
export const showTheme = (request: SurveyRequest): Promise<PageResult> => themePage(request)

async function themePage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, root } = request
  const { account, survey: stored } = await findSurveyTheme(context, survey.id)
  const { structure } = await findWorkingCopy(context, survey.id)
  const view = {
    theme: rejected ? enteredTheme(request, stored) : stored,
    inherited: account,
    languages: structure.languages,
    errors: rejected?.errors,
  }
  return request.render({
    title: t('Theme'),
    action: await firstPublication(request),
    side: editMenu(request, 'theme'),
    scripts: ['theme.js'],
    content: html`<div class="workbench">
      <div>
        ${formView(request, `${root}edit/theme/`, view, rejected)}
        <p class="soft">
          If a field is blank, the value from the theme of the owner’s account
          applies. <a href="/account/theme/">Theme of your account</a>
        </p>
      </div>
      <section class="card preview" aria-labelledby="preview-title">
        <h2 id="preview-title">Preview</h2>
        <iframe title="Preview" src="${root}edit/preview/" data-preview="${root}edit/preview/"></iframe>
      </section>
    </div>`,
  })
}

/** Returns the theme that a rejected form contains, with the stored files. */
function enteredTheme({ form }: SignedInRequest, { logo, cover, font_file }: Partial<Theme>): Partial<Theme> {
  const entered = Object.entries(parseThemeForm(form)).filter(([, value]) => value !== null)
  return { ...(Object.fromEntries(entered) as Partial<Theme>), logo, cover, font_file }
}

/** Renders the form of a theme. */
const formView = (request: SignedInRequest, action: string, view: ThemeFormView, rejected?: FormErrors): Part =>
  html`
    ${errorSummary(rejected, themeFormFields())}
    <form method="post" action="${action}" enctype="multipart/form-data" class="theme" data-theme="${action}contrast/">
      ${csrfField(request.csrf)}
      ${themeFields(view)}
      <div class="actions save-bar"><button class="primary">Save theme</button></div>
    </form>`

/** Saves the theme of a survey. */
export async function saveTheme(request: SurveyRequest): Promise<PageResult> {
  const change = parseThemeForm(request.form)
  return formPage(request, {
    fields: themeFormFields().map(({ name }) => name),
    act: (context) => updateSurveyTheme(context, request.survey.id, change),
    view: (rejected) => themePage(request, rejected),
    done: () => ({ redirect: `${request.root}edit/theme/`, flash: t('Theme saved.') }),
  })
}

/** Shows the theme of the account, which the surveys of the account inherit. */
export const showAccountTheme = (request: SignedInRequest): Promise<PageResult> => accountThemePage(request)

const ALL_LANGUAGES = [{ code: '', name: 'all languages' }]

async function accountThemePage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context } = request
  const stored = await findAccountTheme(context, context.actor.id)
  const view = {
    theme: rejected ? enteredTheme(request, stored) : stored,
    inherited: {},
    languages: ALL_LANGUAGES,
    errors: rejected?.errors,
  }
  return request.render({
    title: t('Theme'),
    beforeHeading: backLink('/account/', t('Account')),
    scripts: ['theme.js'],
    content: html`
      <p class="soft">All your surveys have this theme, unless a survey has its own.</p>
      ${formView(request, '/account/theme/', view, rejected)}`,
  })
}

/** Saves the theme of the account. */
export async function saveAccountTheme(request: SignedInRequest): Promise<PageResult> {
  const change = parseThemeForm(request.form)
  return formPage(request, {
    fields: themeFormFields().map(({ name }) => name),
    act: (context) => updateAccountTheme(context, context.actor.id, change),
    view: (rejected) => accountThemePage(request, rejected),
    done: () => ({ redirect: '/account/theme/', flash: t('Theme saved.') }),
  })
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
const themeFormFields = (): SummaryField[] => [
  { name: 'accent_color', label: t('Accent colour') },
  { name: 'background_color', label: t('Background colour') },
  { name: 'font', label: t('Font') },
  { name: 'font_file', label: t('Own font') },
  { name: 'corners', label: t('Corners') },
  { name: 'layout', label: t('Layout') },
  { name: 'logo', label: t('Logo') },
  { name: 'logo_text', label: t('Logo description') },
  { name: 'cover', label: t('Cover picture') },
  { name: 'cover_text', label: t('Description of the cover picture') },
  ...linkUrls('thank_you_page', (number) => t('URL of link {number} on the thank-you page', { number })),
  ...linkUrls('footer', (number) => t('URL of link {number} in the footer', { number })),
]

const linkUrls = (part: string, label: (number: number) => string): SummaryField[] =>
  Array.from({ length: MAX_LINKS }, (_, index) => ({ name: `${part}.links[${index}].url`, label: label(index + 1) }))

/** Renders the fields of a theme. */
const themeFields = (view: ThemeFormView): Html =>
  html`${styleFields(view)}${logoFields(view)}${coverFields(view)}${thankYouFields(view)}${footerFields(view)}`

function styleFields(view: ThemeFormView): Html {
  const { theme, inherited, errors } = view
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
  const valid = (name: 'accent_color' | 'background_color') => {
    const color = theme[name]
    return color && isColor(color) ? color : base[name]
  }
  const options = <Name extends keyof ReturnType<typeof LABELS>>(
    name: Name,
    label: string,
    values: readonly string[],
    hint?: string,
  ) => {
    const labels: Readonly<Record<string, string>> = LABELS()[name]
    const all = values.map((value) => ({ value, label: labels[value]! }))
    const value = name === 'font' && base.font_file ? t('Own font') : labels[base[name]]!
    const inheritedLabel = t('Default ({value})', { value })
    return select({
      name,
      label,
      ...(hint && { hint }),
      value: theme[name] ?? '',
      options: [{ value: '', label: inheritedLabel }, ...all],
      errors,
    })
  }
  return html`<section class="card" aria-labelledby="style">
    <h2 id="style">Colours, font and layout</h2>
    ${color('accent_color', t('Accent colour'), t('Used for buttons, links and selected answers.'))}
    ${color(
      'background_color',
      t('Background colour'),
      t('Respondents whose device is in dark mode see a dark background instead of a light one.'),
    )}
    ${colorSample({ accent_color: valid('accent_color'), background_color: valid('background_color') })}
    ${options(
      'font',
      t('Font'),
      FONTS,
      t(
        'These fonts are on the respondent’s device, so nothing is downloaded. They replace the own font while it loads.',
      ),
    )}
    ${fontField(view)}
    ${options('corners', t('Corners'), CORNERS)}
    ${options(
      'layout',
      t('Layout'),
      LAYOUTS,
      t('“One question at a time” has large type and keys. Without JavaScript, the whole page is shown.'),
    )}
  </section>`
}

function thankYouFields(view: ThemeFormView): Html {
  const { title = '', text = '', links = [] } = view.theme.thank_you_page ?? {}
  return html`<section class="card" aria-labelledby="thanks">
    <h2 id="thanks">Thank-you page</h2>
    <p class="hint">
      Shown after the last question. Blank fields use the default. A thank-you message in the settings is the default of
      the text.
    </p>
    ${textFields(view, 'thank_you_page.title', t('Title'), title)}
    ${textFields(view, 'thank_you_page.text', t('Text'), text, 3)}
    ${linkFields(view, 'thank_you_page', links)}
  </section>`
}

function footerFields(view: ThemeFormView): Html {
  const { text = '', links = [] } = view.theme.footer ?? {}
  return html`<section class="card" aria-labelledby="footer">
    <h2 id="footer">Footer</h2>
    <p class="hint">Shown at the bottom of every page. For example, add links to your imprint and privacy policy.</p>
    ${textFields(view, 'footer.text', t('Text'), text, 2)}
    ${linkFields(view, 'footer', links)}
  </section>`
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
      html`<fieldset class="link-fields">
        <legend>Link ${index + 1}</legend>
        ${textFields(view, `${name}.links[${index}].label`, t('Label'), label)}
        ${field({
          name: `${name}.links[${index}].url`,
          label: t('URL'),
          type: 'url',
          value: url,
          attributes: html` placeholder="https://"`,
          errors: view.errors,
        })}
      </fieldset>`,
  )
}

/**
 * Returns the change of the theme that a form requests. A blank field removes the value, so that the inherited value
 * applies. Without a new file, a stored file stays unchanged.
 */
function parseThemeForm(form: FormFields): ThemeChange {
  const value = (name: string) => formValue(form, name)?.trim() || null
  const footer = { text: textIn(form, 'footer.text'), links: linksIn(form, 'footer') }
  const page = {
    title: textIn(form, 'thank_you_page.title'),
    text: textIn(form, 'thank_you_page.text'),
    links: linksIn(form, 'thank_you_page'),
  }
  const files = FILE_MEMBERS.map(
    (name) => [name, formValue(form, `${name}.remove`) ? null : formValue(form, name) || undefined] as const,
  )
  return {
    accent_color: value('accent_color'),
    background_color: value('background_color'),
    // The drop-down lists of the page contain only valid values. `parseTheme` rejects any other value.
    font: value('font') as ThemeChange['font'],
    corners: value('corners') as ThemeChange['corners'],
    layout: value('layout') as ThemeChange['layout'],
    logo_text: value('logo_text'),
    cover_text: value('cover_text'),
    ...Object.fromEntries(files),
    footer: isEmpty(footer.text) && footer.links.length === 0 ? null : footer,
    thank_you_page: isEmpty(page.title) && isEmpty(page.text) && page.links.length === 0 ? null : page,
  }
}

const isEmpty = (text: ThemeText) => text === '' || Object.keys(text).length === 0

/**
 * Returns a text from the fields `name.<language>`. If the field `name.` contains a text, this text applies to all
 * languages.
 */
function textIn(form: FormFields, name: string): ThemeText {
  const prefix = `${name}.`
  const texts = Object.keys(form).flatMap((field): [string, string][] => {
    const text = formValue(form, field)?.replaceAll('\r\n', '\n').trim()
    return field.startsWith(prefix) && text ? [[field.slice(prefix.length), text]] : []
  })
  const inAllLanguages = texts.find(([code]) => code === '')
  return inAllLanguages ? inAllLanguages[1] : texts.length > 0 ? Object.fromEntries(texts) : ''
}

/** Returns the links from the rows that contain a URL or a label. */
const linksIn = (form: FormFields, name: string): ThemeLink[] =>
  Array.from({ length: MAX_LINKS }, (_, index) => ({
    label: textIn(form, `${name}.links[${index}].label`),
    url: formValue(form, `${name}.links[${index}].url`)?.trim() ?? '',
  })).filter(({ label, url }) => url !== '' || !isEmpty(label))
