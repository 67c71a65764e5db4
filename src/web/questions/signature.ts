import { answerTo } from '../../domain/structure/answered.ts'
import { fileKeysOf } from '../../domain/structure/file-answer.ts'
import type { Answers } from '../../domain/structure/questionnaire.ts'
import { type Html, html } from '../../lib/html.ts'
import { mainForm } from '../../lib/texts.ts'
import { assetPath } from '../assets.ts'
import { t } from '../i18n/t.ts'
import { group } from './choice-list.ts'
import { fileInputName, filesPart } from './files.ts'
import { inPageLanguage, textLines } from './paper.ts'
import type { QuestionView, RenderContext } from './question-view.ts'
import { errorView, textOf } from './render-context.ts'

/** How a `signature` question is drawn and edited. */
export const signature: QuestionView<'signature'> = {
  idname: 'signature',
  name: () => ({
    label: t('Signature'),
    hint: t('A typed name, and a drawing if respondents want.'),
    words: t('sign draw autograph contract'),
  }),
  isPersonal: true,
  hint: ({ i18n }) => i18n.text(i18n.texts.signatureHint),
  paper: {
    render: () =>
      html`<table class="paper-rows">
        <tbody>
          <tr><th scope="row">${inPageLanguage(t('Name'))}</th><td>${textLines(1)}</td></tr>
          <tr>
            <th scope="row">${inPageLanguage(t('Signature'))}</th>
            <td><div class="space" aria-hidden="true"></div></td>
          </tr>
        </tbody>
      </table>`,
  },
  render,
}

/**
 * Renders `signature`: a field for the typed name, which is the answer to the question, and a field for an optional
 * image. The script replaces the field for the image with an area in which respondents draw.
 */
function render(context: RenderContext): Html {
  const { question, i18n, idOf, errors, files, values } = context
  const { texts } = i18n
  const [name, image] = question.fields
  const nameId = `${idOf(name!.key)}-0`
  const stored = fileKeysOf(answerTo(values as Answers, image!.key)).flatMap((one) => files?.get(one) ?? [])
  const script = assetPath('signature.js')
  return group(
    context,
    name!.key,
    html`
      <div class="signature-name">
        <label for="${nameId}">${i18n.text(texts.signatureName)}</label>
        <input class="box" type="text" autocomplete="name" id="${nameId}" name="${name!.storedKey}"
            value="${textOf(context, name!.key)}"${errors.has(name!.key) && html` aria-invalid="true"`}${
              question.required && html` required`
            }>
      </div>
      <div class="signature" data-signature data-draw="${mainForm(texts.signatureDraw)}"
          data-clear="${mainForm(texts.clearSignature)}" data-drawn="${mainForm(texts.signatureDrawn)}"
          data-cleared="${mainForm(texts.signatureCleared)}">
        <label for="${idOf(image!.key)}">${i18n.text(texts.signaturePicture)}</label>
        ${errorView(context, image!.key)}
        ${filesPart(context, image!, stored)}
        <input class="box" type="file" id="${idOf(image!.key)}" name="${fileInputName(image!)}" accept="image/*"${
          errors.has(image!.key) && html` aria-invalid="true" aria-describedby="${idOf(image!.key)}-e"`
        }>
      </div>
      ${script !== undefined && html`<script type="module" src="${script}"></script>`}`,
  )
}
