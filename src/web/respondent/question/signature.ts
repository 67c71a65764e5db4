import { answerTo } from '../../../domain/structure/answered.ts'
import { fileKeysOf } from '../../../domain/structure/file-answer.ts'
import type { Answers } from '../../../domain/structure/questionnaire.ts'
import { mainForm } from '../../../domain/text/text.ts'
import { html } from '../../../lib/html.ts'
import { assetPath } from '../../assets.ts'
import { group } from './choice.ts'
import { fileInputName, filesPart } from './file.ts'
import { errorView, type RenderQuestion, textOf } from './render-context.ts'

/**
 * Renders `signature`: a field for the typed name, which is the answer to the question, and a field for an optional
 * image. The script replaces the field for the image with an area in which respondents draw.
 */
export const renderSignature: RenderQuestion = (context) => {
  const { question, i18n, idOf, errors, files, values } = context
  const { texts } = i18n
  const [name, image] = question.fields
  const nameId = `${idOf(name!.key)}-0`
  const stored = fileKeysOf(answerTo(values as Answers, image!.key)).flatMap((one) => files?.get(one) ?? [])
  const script = assetPath('signature.js')
  return group(
    context,
    name!.key,
    html`<div class="signature-name"><label for="${nameId}">${i18n.text(texts.signatureName)}</label><input class="box" type="text" autocomplete="name" id="${nameId}" name="${name!.storedKey}" value="${textOf(context, name!.key)}"${errors.has(name!.key) && html` aria-invalid="true"`}${question.required && html` required`}></div>
<div class="signature" data-signature data-draw="${mainForm(texts.signatureDraw)}" data-clear="${mainForm(texts.clearSignature)}" data-drawn="${mainForm(texts.signatureDrawn)}" data-cleared="${mainForm(texts.signatureCleared)}"><label for="${idOf(image!.key)}">${i18n.text(texts.signaturePicture)}</label>
${errorView(context, image!.key)}${filesPart(context, image!, stored)}<input class="box" type="file" id="${idOf(image!.key)}" name="${fileInputName(image!)}" accept="image/*"${errors.has(image!.key) && html` aria-invalid="true" aria-describedby="${idOf(image!.key)}-e"`}></div>${script !== undefined && html`<script type="module" src="${script}"></script>`}`,
  )
}
