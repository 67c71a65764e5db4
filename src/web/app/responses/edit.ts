import { problems } from '../../../domain/problem.ts'
import { updateResponse } from '../../../domain/response/edit/commands.ts'
import type { StoredResponse } from '../../../domain/response/filter/where.ts'
import { findResponse } from '../../../domain/response/list/queries.ts'
import { answerTo, isList } from '../../../domain/structure/answered.ts'
import type { Answers, Field, Question } from '../../../domain/structure/questionnaire.ts'
import { labelOf, textIn } from '../../../domain/structure/text.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { titleOf } from '../../filter/fields.ts'
import { option } from '../../filter/form.ts'
import { alert, type FormErrors, field, fieldErrorsOf, labelled, textArea } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { listSearch, type ResponsesRequest, readResponsesRequest } from './frame.ts'

/** Maximum length of the reason of an edit. */
const MAX_REASON_CHARACTERS = 500

/** Returns the fields of a question that its owner can edit: all but files, calculations and the parts of a consent. */
export const editableFields = ({ kind, fields }: Question): readonly Field[] =>
  kind === 'calculation' ? [] : fields.filter(({ type, part }) => type !== 'file' && !part)

/** Returns the values of a field in the form: one for a text or a choice, several for lists. */
const valuesOf = ({ key }: Field, answers: Answers): string[] => {
  const answer = answerTo(answers, key)
  if (answer === undefined) return []
  if (typeof answer === 'boolean') return [answer ? '0' : '1']
  return isList(answer) ? answer.map(String) : [String(answer)]
}

interface Edited {
  page: ResponsesRequest
  row: StoredResponse
  question: Question
}

/**
 * Finds the response and the question that the address names.
 * @throws {Problem} `survey_not_found`, `forbidden`, `response_not_found`, `question_not_found`
 */
async function findEdited(request: SurveyRequest): Promise<Edited> {
  const page = await readResponsesRequest(request)
  const { row } = await findResponse(page.context, request.survey.id, parseId(request.params.response))
  const id = request.query.get('question')
  const question = page.snapshot.questionnaire.questions.find((candidate) => candidate.id === id)
  if (!question || editableFields(question).length === 0) throw problems.questionNotFound()
  return { page, row, question }
}

/** Shows the form with which a user changes the answer to one question. */
export const showAnswerForm = async (request: SurveyRequest): Promise<PageResult> =>
  answerForm(await findEdited(request))

/** Changes the answer to one question; the history of the response keeps the previous answer. */
export async function saveAnswer(request: SurveyRequest): Promise<PageResult> {
  const edited = await findEdited(request)
  const { page, row, question } = edited
  const fields = editableFields(question)
  const entered = new Map(
    fields.map((each) => [each.key, formValues(request.form, each.key).filter((value) => value !== '')]),
  )
  const changed = fields.filter(
    (each) => entered.get(each.key)!.join('\n') !== valuesOf(each, row.answers as Answers).join('\n'),
  )
  const raw = Object.fromEntries(
    changed.map(({ key, type }) => {
      const values = entered.get(key)!
      return [key, type === 'multi' || type === 'ranking' ? values : (values[0] ?? '')]
    }),
  )
  const reason = formValue(request.form, 'reason')?.trim().slice(0, MAX_REASON_CHARACTERS)
  return formPage(request, {
    fields: (error) =>
      fieldErrorsOf(
        error,
        fields.map(({ key }) => key),
      ),
    act: (context) => updateResponse(context, request.survey.id, row.id, raw, reason || undefined),
    view: (rejected) => answerForm(edited, { rejected, entered, reason }),
    done: () => ({
      redirect: `${page.listPath}${row.id}/${listSearch(page)}`,
      flash: t('Response {number} saved.', { number: row.number }),
    }),
  })
}

interface RejectedForm {
  rejected: FormErrors
  entered: ReadonlyMap<string, readonly string[]>
  reason: string | undefined
}

function answerForm({ page, row, question }: Edited, form?: RejectedForm): PageResult {
  const path = `${page.listPath}${row.id}/`
  const errors = form && { errors: form.rejected.errors }
  const controls = editableFields(question).map((each) =>
    control(page, each, form?.entered.get(each.key) ?? valuesOf(each, row.answers as Answers), form?.rejected),
  )
  return page.render({
    title: t('Edit the answer of response {number}', { number: row.number }),
    beforeHeading: backLink(path + listSearch(page), t('Response {number}', { number: row.number })),
    content: html`
      ${alert(form?.rejected.general)}
      <form method="post" class="card">
        ${csrfField(page.csrf)}
        <h2 lang="${page.textContext.language}">${titleOf(question, page.textContext)}</h2>
        ${controls}
        ${field({
          name: 'reason',
          label: t('Reason (optional)'),
          hint: t('The history of the response shows it.'),
          value: form?.reason ?? '',
          attributes: html` maxlength="${MAX_REASON_CHARACTERS}"`,
          ...errors,
        })}
        <div class="actions">
          <button class="primary">Save</button>
          <a class="button plain" href="${path}${listSearch(page)}">Cancel</a>
        </div>
      </form>`,
  })
}

function control(
  { textContext }: ResponsesRequest,
  each: Field,
  values: readonly string[],
  rejected?: FormErrors,
): Html {
  const { key, type, choices, row, question } = each
  const label = row
    ? textIn(row.label, textContext.language, textContext.q)
    : type === 'other'
      ? t('Own text')
      : t('Answer')
  const options = { name: key, id: `f${question.fields.indexOf(each)}`, label, errors: rejected?.errors }
  const isChosen = (index: number) => values.includes(String(index))
  const textOf = (index: number) => labelOf(each, index, textContext.language, textContext.q)
  // A choice that was removed from the survey stays until another one is chosen.
  const removed = values.map(Number).filter((index) => index < 0)
  const indices = [...choices.map(({ index }) => index), ...removed]
  if (type === 'multi')
    return html`<fieldset class="field boxes">
      <legend>${label}</legend>
      ${errorOf(options)}
      <ul>
        ${indices.map(
          (index) => html`<li>
            <label>
              <input type="checkbox" name="${key}" value="${index}"${isChosen(index) && html` checked`}>
              <span>${textOf(index)}</span>
            </label>
          </li>`,
        )}
      </ul>
    </fieldset>`
  const choose = (chosen: string | undefined, attributes: Part) =>
    html`<select class="box" name="${key}"${attributes}>
      ${option('', t('No answer'))}
      ${indices.map((index) => option(String(index), textOf(index), String(index) === chosen))}
    </select>`
  if (type === 'ranking')
    return html`<fieldset class="field">
      <legend>${label}</legend>
      ${errorOf(options)}
      <ol>
        ${choices.map((_, rank) => {
          const name = t('Rank {number}', { number: rank + 1 })
          return html`<li>${choose(values[rank], html` aria-label="${name}"`)}</li>`
        })}
      </ol>
    </fieldset>`
  if (choices.length > 0 && (type === 'single' || type === 'boolean' || type === 'number'))
    return labelled(options, (attributes) => choose(values[0], html` id="${options.id}"${attributes}`))
  if (type === 'string' || type === 'other')
    return textArea({ ...options, value: values[0] ?? '', prose: true, rows: 4 })
  return field({ ...options, value: values[0] ?? '' })
}

const errorOf = ({
  name,
  label,
  errors,
}: {
  name: string
  label: string
  errors: FormErrors['errors'] | undefined
}): Part => errors?.has(name) && html`<p class="error">${label} ${errors.get(name)}</p>`
