import { isUploadedImage } from '../../domain/structure/choice-image.ts'
import type { Choice } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { t } from '../i18n/t.ts'
import { choicesHint, choicesOf, clearButton, group, liveAttribute, liveTemplate } from './choice-list.ts'
import { oneChoice, severalChoices } from './paper.ts'
import type { PaperQuestion, PaperView, QuestionView, RenderContext } from './question-view.ts'
import { formValueOf, isSelected, mainField } from './render-context.ts'
import { bounds } from './setting-fields.ts'

/** How a `image-choice` question is drawn and edited. */
export const imageChoice: QuestionView<'image-choice'> = {
  idname: 'image-choice',
  name: () => ({
    label: t('Image choice'),
    hint: t('One or several choices with pictures.'),
    words: t('picture photo image selection'),
  }),
  exclusiveLabel: () => t('Cannot be combined with other choices'),
  settings: () => [
    {
      name: 'multiple',
      control: 'check',
      label: t('Several choices'),
      hint: t('Respondents can select several images.'),
    },
    ...bounds(),
  ],
  isRadio: true,
  isFullWidth: true,
  hint: (context) => context.question.multiple && choicesHint(context),
  paper: {
    instructions: (paper) => imagePaper(paper).instructions!(paper),
    render: (paper) => imagePaper(paper).render(paper),
  },
  render,
}

/**
 * Renders `image-choice`: radio buttons or checkboxes with a picture above each label. Browsers must not send the
 * address of the page to the host of a picture, because the address contains the key of the response.
 */
function render(context: RenderContext): Html {
  const { key } = mainField(context.question)
  const { idOf, i18n, question } = context
  const type = question.multiple ? 'checkbox' : 'radio'
  const required = type === 'radio' && question.required
  const render = (choice: Choice) => {
    const id = `${idOf(key)}-${choice.index}`
    // An anonymous survey from before November 2026 can have images on other websites.
    const isOmitted = context.omitsExternalImages && choice.image && !isUploadedImage(choice.image.url)
    const image = isOmitted ? undefined : choice.image
    return html`<div class="choice">
      <input type="${type}" id="${id}" name="${key}" value="${formValueOf(choice)}"${
        isSelected(context, key, choice.index) && html` checked`
      }${required && html` required`}${question.multiple && choice.exclusive && html` data-exclusive`}>
      <label for="${id}">
        ${
          image &&
          html`
            <img src="${image.url}" alt="${i18n.plainText(image.alt)}" referrerpolicy="no-referrer" loading="lazy"
                decoding="async">`
        }
        <span>
          ${i18n.surveyText(isOmitted && i18n.plainText(choice.label) === '' ? choice.image?.alt : choice.label)}
        </span>
      </label>
    </div>`
  }
  return group(
    context,
    key,
    html`
      <div class="choices pictures"${liveAttribute(context)}>${choicesOf(context).map(render)}</div>
      ${liveTemplate(context, render)}
      ${type === 'radio' && clearButton(context, key)}`,
  )
}

const imagePaper = ({ question: { multiple } }: PaperQuestion): PaperView => (multiple ? severalChoices : oneChoice)
