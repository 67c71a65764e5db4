import type { ThemeChange } from '../../../domain/theme/parse-theme.ts'
import { MAX_LINKS, type ThemeLink, type ThemeText } from '../../../domain/theme/theme.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'

/**
 * Returns the change of the theme that a form requests. A blank field removes the value, so that the inherited value
 * applies. Without a new file, the logo stays unchanged.
 */
export function parseThemeForm(form: FormFields): ThemeChange {
  const value = (name: string) => formValue(form, name)?.trim() || null
  const footer = { text: textIn(form, 'footer.text'), links: linksIn(form, 'footer') }
  const page = {
    title: textIn(form, 'thank_you_page.title'),
    text: textIn(form, 'thank_you_page.text'),
    links: linksIn(form, 'thank_you_page'),
  }
  const logo = formValue(form, 'logo.remove') ? null : formValue(form, 'logo') || undefined
  return {
    accent_color: value('accent_color'),
    background_color: value('background_color'),
    // The drop-down lists of the page contain only valid values. `parseTheme` rejects any other value.
    font: value('font') as ThemeChange['font'],
    corners: value('corners') as ThemeChange['corners'],
    layout: value('layout') as ThemeChange['layout'],
    logo_text: value('logo_text'),
    logo,
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
