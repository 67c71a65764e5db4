import { imageTypes } from '../../../domain/image/image.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { FieldErrorTexts } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import type { EnteredItem } from './parse-question.ts'

/**
 * Renders the fields for the image of a choice: the image, the buttons that upload and remove it, and its description.
 * With JavaScript, a file is uploaded when the author chooses it. Without JavaScript, the file is uploaded when the
 * author submits the form.
 * @param prefix the prefix of the field names, such as `choice.0`
 * @param choiceName names the choice in labels that only screen readers read
 */
export function choicePicture(
  prefix: string,
  { url, alt }: NonNullable<EnteredItem['image']> = { url: '', alt: '' },
  choiceName: string,
  errors: FieldErrorTexts,
): Html {
  const [altError, urlError] = [errors.get(`${prefix}.alt`), errors.get(`${prefix}.image`)]
  const hidden = html`<span class="hidden"> (${choiceName})</span>`
  const button = (action: string, style: string, text: string, isHidden = false) =>
    html`<button class="${style}" name="do" value="${action}.${prefix}"${isHidden && html` hidden`}>${text}<span class="hidden"> ${choiceName}</span></button>`
  return html`<div class="choice-picture" data-picture>${url && html`<img src="${url}" alt="" referrerpolicy="no-referrer">`}
<label class="picture-file">Image file${hidden} <input type="file" name="${prefix}.file" accept="${imageTypes.join()}"></label>
<div class="item-actions">${button('image', 'small', t('Add image'))}${button('remove-image', 'quiet small', t('Remove image'), url === '')}</div><p class="hint">PNG, JPEG, GIF, WebP or AVIF, at most 5 MB.</p><p class="picture-status" role="status"></p>
<label class="picture-alt">${t('Description of the image')}${hidden}<span class="hint">${t('Screen readers read this text to respondents who cannot see the image.')}</span>${altError && html`<span class="error">${altError}</span>`}<input class="box" name="${prefix}.alt" value="${alt}" autocomplete="off"${altError && html` aria-invalid="true"`}></label>
<details${urlError && html` open`}><summary>Image on another website${hidden}</summary><label>${t('Image URL (https)')}${hidden}${urlError && html`<span class="error">${urlError}</span>`}<input class="box" name="${prefix}.image" value="${url}" autocomplete="off"${urlError && html` aria-invalid="true"`}></label></details></div>`
}
