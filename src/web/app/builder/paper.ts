import { compile } from '../../../domain/structure/compile.ts'
import { expandLoops } from '../../../domain/structure/loop.ts'
import type { Condition, Page, Question, Questionnaire, Rule } from '../../../domain/structure/questionnaire.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { questionNamed } from '../../../domain/structure/text.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { directionOf } from '../../../domain/text/catalog.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { nextTurn } from '../../../lib/next-turn.ts'
import { isAutomatic, typeOf } from '../../../questions/index.ts'
import { select } from '../../forms/field.ts'
import { languageFor, type Translator, translatorFor } from '../../i18n/i18n.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { viewOf } from '../../questions/index.ts'
import { inPageLanguage } from '../../questions/paper.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { conditionSummary } from './condition-summary.ts'
import { editMenu } from './menu.ts'
import { skipSummaries } from './skip-target.ts'
import { nameOfPage, titleOfQuestion } from './texts.ts'

/** A questionnaire on paper, in one language. */
interface Paper {
  q: Questionnaire
  /** The structure, with the number of each question before its title. Conditions in words name questions so. */
  structure: Structure
  /** The numbers of the questions that respondents answer, from 1. */
  numbers: ReadonlyMap<Question, number>
  i18n: Translator
}

/** Shows the whole survey, the draft or the published version, as a questionnaire to print and to answer by hand. */
export async function showPaper(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query, root } = request
  const copy = await findWorkingCopy(context, survey.id)
  const { texts } = await findSnapshot(context, survey.id, ['Edit', 'Test'])
  const hasTwo = copy.changed && !survey.unpublished
  const isPublished = hasTwo && query.get('edition') === 'published'
  const structure = expandLoops((isPublished ? copy.published : copy).structure)
  await nextTurn()
  const q = compile(structure)
  const language = languageFor(q, query.get('language') ?? undefined, undefined, () => false)
  const numbers = numbersOf(q)
  const i18n = translatorFor(q, language, {}, {}, texts, (name) => blankFor(numbers.get(questionNamed(name, q)!)))
  const paper: Paper = { q, structure: withNumbers(structure, q, numbers), numbers, i18n }
  const pages: Html[] = []
  for (const page of q.pages) {
    pages.push(pageView(paper, page))
    await nextTurn()
  }
  return request.render({
    title: t('Paper edition'),
    side: editMenu(request, 'paper'),
    scripts: ['paper.js'],
    content: html`
      <section class="card paper-controls on-screen" aria-label="Edition">
        <form method="get" action="${root}edit/paper/">
          ${
            q.languages.length > 1 &&
            select({
              name: 'language',
              label: t('Language'),
              value: language,
              options: q.languages.map(({ code, name }) => ({ value: code, label: name })),
            })
          }
          ${
            hasTwo &&
            select({
              name: 'edition',
              label: t('Edition'),
              value: isPublished ? 'published' : 'draft',
              options: [
                { value: 'draft', label: t('Draft') },
                { value: 'published', label: t('Published version') },
              ],
            })
          }
          <div class="actions">
            ${(q.languages.length > 1 || hasTwo) && html`<button>Show</button>`}
            <button type="button" class="primary" data-print hidden>Print</button>
            ${
              !survey.unpublished &&
              request.may('Correct') &&
              html`<a class="button plain" href="${root}responses/sheets/">Type in returned sheets</a>`
            }
          </div>
        </form>
        <p class="soft">
          Print this page, on A4 or Letter. The numbers next to the boxes are the codes of the codebook.
          Instructions and conditions are in your language.
        </p>
        ${notesOf(paper)}
      </section>
      <article class="paper" lang="${language}" dir="${directionOf(language)}">
        <h2>${i18n.surveyText(q.title)}</h2>
        ${descriptionOf(q, i18n)}
        ${pages}
      </article>`,
  })
}

/** Returns the numbers of the questions on paper, from 1. */
export const numbersOf = ({ questions }: Questionnaire): ReadonlyMap<Question, number> =>
  new Map(questions.filter(isNumbered).map((question, index) => [question, index + 1]))

const isNumbered = ({ kind }: Question): boolean => Boolean(typeOf(kind)?.fieldType) && !isAutomatic(kind)

/** Returns what replaces a placeholder: a blank with the number of the question whose answer it is. */
const blankFor = (number: number | undefined): string => (number === undefined ? '________' : `________ (${number})`)

/** Returns the structure with the number of each question before its title in every language. */
function withNumbers(structure: Structure, q: Questionnaire, numbers: Paper['numbers']): Structure {
  const form = structure.form.map((page) => ({
    ...page,
    children: page.children.map((question) => {
      const number = numbers.get(q.byId.get(question.id)!)
      if (number === undefined) return question
      const codes = [...new Set([q.defaultLanguage, ...Object.keys(question.title ?? {})])]
      const title = Object.fromEntries(
        codes.map((code) => [code, `${number}. ${titleOfQuestion(question, code)}`] as const),
      )
      return { ...question, title }
    }),
  }))
  return { ...structure, form }
}

const descriptionOf = ({ description }: Pick<Question, 'description'>, i18n: Translator): Part =>
  i18n.plainText(description) !== '' && html`<p class="description">${i18n.surveyText(description)}</p>`

function pageView(paper: Paper, page: Page): Html {
  const { structure, i18n } = paper
  const { language } = i18n
  const index = page.number - 1
  const skips = skipSummaries(structure, index, language)
  return html`<section class="paper-page">
    <h3>${inPageLanguage(nameOfPage({ title: page.title }, index, language))}</h3>
    ${
      page.condition &&
      instruction(
        t('Fill in this page only if {condition}.', {
          condition: conditionSummary(page.condition, structure, language),
        }),
      )
    }
    ${descriptionOf(page, i18n)}
    ${page.questions.filter(({ kind }) => !isAutomatic(kind)).map((question) => questionView(paper, question))}
    ${skips.map((skip) => instruction(t('After this page: {skip}.', { skip })))}
  </section>`
}

const instruction = (...sentences: readonly Part[]): Part => {
  const shown = sentences.filter((sentence) => sentence)
  return shown.length > 0 && html`<p class="instruction">${inPageLanguage(shown.map((one) => html`${one} `))}</p>`
}

function questionView({ structure, numbers, i18n, q }: Paper, question: Question): Html {
  const number = numbers.get(question)
  const view = viewOf(question.kind).paper
  const { condition, choiceFilter = [] } = question
  const title = i18n.plainText(question.title) !== '' && i18n.surveyText(question.title)
  return html`<section class="paper-question">
    ${
      (number !== undefined || title) &&
      html`<h4>${number !== undefined && html`<span class="number">${number}.</span> `}${title}${
        question.required && html` <span class="required">${i18n.text(i18n.texts.required)}</span>`
      }</h4>`
    }
    ${
      condition &&
      instruction(
        number === undefined
          ? t('Only if {condition}.', { condition: conditionSummary(condition, structure, i18n.language) })
          : t('Answer only if {condition}.', { condition: conditionSummary(condition, structure, i18n.language) }),
      )
    }
    ${descriptionOf(question, i18n)}
    ${
      choiceFilter.length > 0 &&
      instruction(
        t('Which choices apply depends on your answer to: {questions}.', {
          questions: choiceFilter.map((filter) => nameOf(filter.question, q, numbers, i18n)).join(', '),
        }),
      )
    }
    ${instruction(...(view?.instructions?.({ question, i18n }) ?? []))}
    ${view?.render({ question, i18n })}
  </section>`
}

/** Returns the number and the title of the question with a name. */
function nameOf(name: string, q: Questionnaire, numbers: Paper['numbers'], { plainText }: Translator): string {
  const question = questionNamed(name, q)
  if (!question) return name
  const number = numbers.get(question)
  return `${number === undefined ? '' : `${number}. `}${plainText(question.title)}`
}

/** Tells the owner which questions are not on paper, and which parts of the survey need their answers. */
function notesOf({ q, i18n, numbers }: Paper): Part {
  const left = q.questions.filter(({ kind }) => isAutomatic(kind))
  if (left.length === 0) return null
  const refers = (names: readonly string[]) => names.some((name) => left.includes(questionNamed(name, q) as Question))
  const questions = q.questions
    .filter((question) => numbers.has(question))
    .filter(({ condition, choiceFilter = [] }) =>
      refers([...namesIn(condition), ...choiceFilter.map(({ question }) => question)]),
    )
  const pages = q.pages.filter(({ condition, skips }) =>
    refers([...namesIn(condition), ...skips.flatMap(({ when }) => namesIn(when))]),
  )
  const needing = [
    ...pages.map((page) => nameOfPage(page, page.number - 1, i18n.language)),
    ...questions.map(({ id }) => nameOf(id, q, numbers, i18n)),
  ]
  return html`
    <h2>Not on paper</h2>
    <p>Canvass itself sets the answers to these questions:</p>
    <ul>${left.map(({ id, title }) => html`<li>${i18n.plainText(title) || id}</li>`)}</ul>
    ${
      needing.length > 0 &&
      html`
        <p>Their answers decide about these parts, which respondents cannot know:</p>
        <ul>${needing.map((name) => html`<li>${name}</li>`)}</ul>`
    }`
}

/** Returns the names of the questions in a condition. */
function namesIn(condition: Condition | Rule | undefined): string[] {
  if (!condition) return []
  if ('question' in condition)
    return [condition.question, ...(condition.answer === undefined ? [] : [condition.answer])]
  return ('all' in condition ? condition.all : condition.any).flatMap(namesIn)
}
