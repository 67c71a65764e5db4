import type { StructureLanguage } from '../../domain/structure/structure.ts'
import { coverPath, type FileMember, logoPath, type Theme } from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { type FieldErrorTexts, field, labelled } from '../forms/field.ts'
import { t } from '../i18n/t.ts'

/** The data of the form of a theme. */
export interface ThemeFormView {
  theme: Partial<Theme>
  /** The theme whose values apply if a field is blank. */
  inherited: Partial<Theme>
  /**
   * The languages in which the form shows each text. An entry with an empty `code` means one text for all languages.
   */
  languages: readonly Pick<StructureLanguage, 'code' | 'name'>[]
  errors: FieldErrorTexts | undefined
}

/** Renders the field for the file of a font, with its size if the theme has one. */
export function fontField({ theme: { font_file }, errors }: ThemeFormView): Part {
  const hint = t(
    'WOFF2, at most 500 KB. This service sends the file to respondents: the licence of the font must allow that.',
  )
  return fileField({
    name: 'font_file',
    label: font_file ? t('New own font (now {size} KB)', { size: Math.ceil(font_file.size / 1000) }) : t('Own font'),
    hint,
    accept: '.woff2,font/woff2',
    removeLabel: font_file && t('Remove own font'),
    errors,
  })
}

/** A field for a file. */
interface FileField {
  name: FileMember
  label: string
  hint: string
  accept: string
  /** The label of the tick box that removes the stored file; absent if there is none. */
  removeLabel: string | undefined
  errors: FieldErrorTexts | undefined
}

/** Renders a field for a file of the theme, and a tick box that removes the stored file. */
const fileField = ({ name, label, hint, accept, removeLabel, errors }: FileField): Part => html`
  ${labelled(
    { name, label, hint, errors },
    (aria) => html`<input class="box" type="file" id="${name}" name="${name}" accept="${accept}"${aria}>`,
  )}
  ${
    removeLabel &&
    html`<div class="field tickbox">
      <label><input type="checkbox" name="${name}.remove" value="on"> ${removeLabel}</label>
    </div>`
  }`

const IMAGES = 'image/png,image/jpeg,image/webp'

/** Renders the fields of the cover picture. */
export function coverFields({ theme: { cover, cover_text }, inherited, errors }: ThemeFormView): Html {
  return html`<section class="card" aria-labelledby="cover-title">
    <h2 id="cover-title">Cover picture</h2>
    <p class="hint">Shown at the top of the first page, and in messengers and social networks that preview the link.</p>
    ${
      cover &&
      html`<p class="cover">
        <img src="${coverPath(cover)}" width="${cover.width}" height="${cover.height}" alt="Current cover picture">
      </p>`
    }
    ${fileField({
      name: 'cover',
      label: cover ? t('New cover picture') : t('Cover picture'),
      hint: t('PNG, JPEG or WebP, at most 2 MB and 4,000 pixels wide and high. A wide picture looks best.'),
      accept: IMAGES,
      removeLabel: cover && t('Remove cover picture'),
      errors,
    })}
    ${field({
      name: 'cover_text',
      label: t('Description of the cover picture'),
      hint: t('Describe the picture for people who cannot see it. Leave blank if it is only decoration.'),
      value: cover_text ?? '',
      attributes: html` maxlength="200"${inherited.cover_text && html` placeholder="${inherited.cover_text}"`}`,
      errors,
    })}
  </section>`
}

/** Renders the fields of the logo. */
export function logoFields({ theme: { logo, logo_text }, inherited, errors }: ThemeFormView): Html {
  return html`<section class="card" aria-labelledby="logo-title">
    <h2 id="logo-title">Logo</h2>
    ${
      logo &&
      html`<p class="logo">
        <img src="${logoPath(logo)}" width="${logo.width}" height="${logo.height}" alt="Current logo">
      </p>`
    }
    ${fileField({
      name: 'logo',
      label: logo ? t('New logo') : t('Logo'),
      hint: t('PNG, JPEG or WebP, at most 500 KB.'),
      accept: IMAGES,
      removeLabel: logo && t('Remove logo'),
      errors,
    })}
    ${field({
      name: 'logo_text',
      label: t('Logo description'),
      hint: t('Describe the logo for people who cannot see it. For example, enter the name of your organisation.'),
      value: logo_text ?? '',
      attributes: html` maxlength="200"${inherited.logo_text && html` placeholder="${inherited.logo_text}"`}`,
      errors,
    })}
  </section>`
}
