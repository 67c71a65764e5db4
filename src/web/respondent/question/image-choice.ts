import { isUploadedImage } from '../../../domain/structure/choice-image.ts'
import type { Choice } from '../../../domain/structure/questionnaire.ts'
import { html } from '../../../lib/html.ts'
import { choicesOf, clearButton, group, liveAttribute, liveTemplate } from './choice.ts'
import { formValueOf, isSelected, mainField, type RenderQuestion } from './render-context.ts'

/**
 * Renders `image-choice`: radio buttons or checkboxes with a picture above each label. Browsers must not send the
 * address of the page to the host of a picture, because the address contains the key of the response.
 */
export const renderImageChoice: RenderQuestion = (context) => {
  const { key } = mainField(context.question)
  const { idOf, i18n, question } = context
  const type = question.multiple ? 'checkbox' : 'radio'
  const required = type === 'radio' && question.required
  const render = (choice: Choice) => {
    const id = `${idOf(key)}-${choice.index}`
    // An anonymous survey from before November 2026 can have images on other websites.
    const isOmitted = context.omitsExternalImages && choice.image && !isUploadedImage(choice.image.url)
    const image = isOmitted ? undefined : choice.image
    return html`<div class="choice"><input type="${type}" id="${id}" name="${key}" value="${formValueOf(choice)}"${isSelected(context, key, choice.index) && html` checked`}${required && html` required`}${question.multiple && choice.exclusive && html` data-exclusive`}><label for="${id}">${image && html`<img src="${image.url}" alt="${i18n.plainText(image.alt)}" referrerpolicy="no-referrer" loading="lazy" decoding="async">`}<span>${i18n.surveyText(isOmitted && i18n.plainText(choice.label) === '' ? choice.image?.alt : choice.label)}</span></label></div>`
  }
  return group(
    context,
    key,
    html`<div class="choices pictures"${liveAttribute(context)}>${choicesOf(context).map(render)}</div>${liveTemplate(context, render)}${type === 'radio' && clearButton(context, key)}`,
  )
}
