import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'
import type { ValueError } from '../../../domain/field-error.ts'
import { MAX_SEED, MAX_WALKS, rehearseCopy } from '../../../domain/rehearsal/rehearse.ts'
import type { RehearsalReport } from '../../../domain/rehearsal/report.ts'
import { expandLoops, originalId, originOf } from '../../../domain/structure/loop.ts'
import type { Question } from '../../../domain/structure/questionnaire.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { defaultTexts } from '../../../domain/text/catalog.ts'
import { type Html, html, type Part, trusted } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { translateError } from '../../i18n/i18n.ts'
import { pageLanguage, printIn } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editMenu } from './menu.ts'
import { cardTitle, defaultCode, nameOfPage } from './texts.ts'
import { cardAddress, pageAddress } from './window.ts'

/** The numbers of walks that authors can choose. */
const WALKS = [200, 1000, MAX_WALKS]
const DEFAULT_WALKS = 1000

/** Shows the form with which an author starts a rehearsal. */
export const showRehearsal = async (request: SurveyRequest): Promise<PageResult> =>
  request.render(frame(request, formView(request, DEFAULT_WALKS, 1)))

/**
 * Rehearses the draft. The page arrives in parts: its beginning, a line after every part of the walks, and the report.
 * Browsers show them at once, also without scripts. The last line hides the others with a style rule.
 */
export async function startRehearsal(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const copy = await findWorkingCopy(context, survey.id)
  const walks = Math.trunc(numberIn(formValue(form, 'walks'), 1, MAX_WALKS, DEFAULT_WALKS))
  const seed = Math.trunc(numberIn(formValue(form, 'seed'), 0, MAX_SEED, 1))
  // nginx passes the parts on at once.
  request.ctx.set('X-Accel-Buffering', 'no')
  const rendered = request.render(frame(request, html`${trusted(MARK)}`))
  const [before = '', after = ''] = 'page' in rendered ? printIn(pageLanguage(), rendered.page).split(MARK) : []
  // The parts are rendered after this function has returned, in the language of this request.
  const inRequest = AsyncResource.bind((render: () => Part) => printIn(pageLanguage(), html`${render()}`))
  const parts = partsOf(request, copy, { walks, seed }, root)
  async function* stream() {
    yield before
    for await (const part of parts) yield inRequest(part)
    yield inRequest(() => formView(request, walks, seed)) + after
  }
  return { file: Readable.from(stream()), type: 'text/html; charset=utf-8' }
}

const MARK = '<!--rehearsal-->'

const numberIn = (text: string | undefined, min: number, max: number, fallback: number): number => {
  const number = Number(text ?? '')
  return text !== undefined && text.trim() !== '' && number >= min && number <= max ? number : fallback
}

/** Yields functions that render the progress and the report. */
async function* partsOf(
  { context, toProblem }: SurveyRequest,
  copy: WorkingCopy,
  size: { walks: number; seed: number },
  root: string,
): AsyncGenerator<() => Part> {
  yield () =>
    html`${trusted('<section class="card rehearsal-progress" aria-live="polite">')}${progressView(0, size.walks)}`
  let notify = () => undefined as unknown
  let done = 0
  const report = rehearseCopy(context, copy, size, (walks) => {
    done = walks
    notify()
  }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: toProblem(error) }),
  )
  for (;;) {
    const shown = done
    const progress = new Promise<'progress'>((resolve) => {
      notify = () => resolve('progress')
    })
    const finished = done > shown ? 'progress' : await Promise.race([report, progress])
    if (finished === 'progress') {
      const walks = done
      yield () => progressView(walks, size.walks)
      continue
    }
    yield () => trusted('</section>')
    if ('value' in finished) yield () => rehearsalView({ root, structure: copy.structure }, finished.value)
    else
      yield () =>
        html`<section class="card rehearsal">
          ${alert(t('The rehearsal could not be finished. Try again in a minute.'))}
        </section>`
    return
  }
}

function progressView(done: number, total: number): Html {
  const locale = pageLanguage()
  const text = t('{done} of {total} walks', { done: done.toLocaleString(locale), total: total.toLocaleString(locale) })
  return html`<p><progress max="${total}" value="${done}" aria-label="${text}"></progress> ${text}</p>`
}

function formView({ root, csrf }: SurveyRequest, walks: number, seed: number): Html {
  return html`<section class="card" aria-labelledby="rehearse">
    <h2 id="rehearse">Rehearse the survey</h2>
    <p>
      Simulated respondents answer your draft at random, in every language. You learn where people cannot go on, what no
      one sees, how long the survey takes, and what the answers look like in a spreadsheet. Nothing is stored.
    </p>
    <form method="post" action="${root}edit/rehearsal/">
      ${csrfField(csrf)}
      <input type="hidden" name="seed" value="${seed}">
      ${select({
        name: 'walks',
        label: t('Simulated respondents'),
        value: String(walks),
        options: WALKS.map((value) => ({ value, label: pluralize(value, 'respondent') })),
      })}
      <div class="button-row"><button class="primary">Start rehearsal</button></div>
    </form>
  </section>`
}

const frame = (request: SurveyRequest, content: Part) => ({
  title: t('Rehearsal'),
  side: editMenu(request, 'questions', true),
  beforeHeading: backLink(`${request.root}edit/`, t('All questions')),
  content,
})

interface Rehearsed {
  root: string
  structure: Structure
}

/** Renders what simulated respondents found, the problems first. */
function rehearsalView(survey: Rehearsed, report: RehearsalReport): Html {
  const { walks, requested } = report
  if (walks === 0)
    return html`<section class="card rehearsal"><h2>Nothing to rehearse</h2><p>${
      survey.structure.form.some(({ children }) => children.length > 0)
        ? t('The survey is too large to be rehearsed.')
        : t('The survey has no questions yet.')
    }</p></section>`
  return html`<div class="rehearsal">
    ${summaryView(report)}
    ${deadEndsView(survey, report)}
    ${unseenView(survey, report)}
    ${quotasView(survey, report)}
    ${pathsView(report)}
    ${sampleView(report)}
    ${
      walks < requested &&
      html`<p class="soft">The survey is large, so the rehearsal stopped after ${pluralize(walks, 'respondent')}.</p>`
    }
  </div>`
}

const shown = (number: number): string => number.toLocaleString(pageLanguage())
const share = (part: number, of: number): string =>
  (part / of).toLocaleString(pageLanguage(), { style: 'percent', maximumFractionDigits: 1 })

function summaryView({ ends, minutes, walks, languages, pathCount, seed }: RehearsalReport): Html {
  return html`<section class="card" aria-labelledby="result">
    <h2 id="result">Result</h2>
    <dl class="facts">
      <dt>Finished the survey</dt>
      <dd>${shown(ends.complete)} of ${shown(walks)}</dd>
      ${ends.terminate > 0 && html`<dt>Screened out</dt><dd>${shown(ends.terminate)} of ${shown(walks)}</dd>`}
      ${ends.stuck > 0 && html`<dt>Could not go on</dt><dd>${shown(ends.stuck)} of ${shown(walks)}</dd>`}
      ${
        minutes &&
        html`
          <dt>Time needed</dt>
          <dd>
            ${t('about {average} minutes, from {shortest} to {longest}', {
              average: shown(minutes.average),
              shortest: shown(minutes.shortest),
              longest: shown(minutes.longest),
            })}
          </dd>`
      }
      ${
        languages.length > 1 &&
        html`
          <dt>Languages</dt>
          <dd>
            ${languages.map(
              ({ name, minutes: own }, index) =>
                html`
                  ${index > 0 && ', '}
                  ${own === undefined ? name : t('{name} ({minutes} minutes)', { name, minutes: shown(own) })}`,
            )}
          </dd>`
      }
      <dt>Different paths</dt>
      <dd>${shown(pathCount)}</dd>
    </dl>
    <p class="soft">
      The time is an estimate from the length of the texts and the types of the questions. Seed ${seed}: another
      rehearsal of the same draft has the same result.
    </p>
  </section>`
}

function pageLink({ root, structure }: Rehearsed, number: number): Part {
  const page = expandLoops(structure).form[number - 1]!
  const at = originOf(page) ?? number - 1
  return html`<a href="${pageAddress(root, structure, at)}">
    ${nameOfPage(page, at, defaultCode(structure))}
  </a>`
}

function questionLink({ root, structure }: Rehearsed, { id, page }: Question): Part {
  const question = expandLoops(structure).form[page - 1]?.children.find((one) => one.id === id)
  if (!question) return undefined
  const title = cardTitle(question, structure, defaultCode(structure))
  return html`<a href="${cardAddress(root, structure, originalId(question))}">${title}</a>`
}

/** Returns the text of an error as respondents read it, in the language of the author. */
const answerErrorText = (error: ValueError): string =>
  translateError(error, defaultTexts(pageLanguage()).texts, pageLanguage()).text

function deadEndsView(survey: Rehearsed, { obstacles, walks }: RehearsalReport): Part {
  if (obstacles.length === 0)
    return html`<section class="card" aria-labelledby="dead-ends">
      <h2 id="dead-ends">Dead ends</h2>
      <p>Everyone could go on from every page.</p>
    </section>`
  return html`<section class="card" aria-labelledby="dead-ends">
    <h2 id="dead-ends">Dead ends</h2>
    <p>On these pages, respondents could not go on:</p>
    <ul class="finding-list">
      ${obstacles.map(
        ({ page, question, code, message, params, walks: stuck }) =>
          html`<li>
            ${question ? questionLink(survey, question) : pageLink(survey, page)}:
            “${answerErrorText({ code, message, params } as ValueError)}” <span class="soft">
              ${t('{stuck} of {walks} respondents', { stuck: shown(stuck), walks: shown(walks) })}
            </span>
          </li>`,
      )}
    </ul>
  </section>`
}

function unseenView(survey: Rehearsed, { unseenPages, unseenQuestions }: RehearsalReport): Part {
  if (unseenPages.length + unseenQuestions.length === 0)
    return html`<section class="card" aria-labelledby="unseen">
      <h2 id="unseen">What no one sees</h2>
      <p>Every page and every question was seen.</p>
    </section>`
  const certainty = (isCertain: boolean) =>
    isCertain
      ? t('No respondent can have the answers that it needs.')
      : t('No simulated respondent had the answers that it needs.')
  return html`<section class="card" aria-labelledby="unseen">
    <h2 id="unseen">What no one sees</h2>
    <ul class="finding-list">
      ${unseenPages.map(({ page, isCertain }) => html`<li>${pageLink(survey, page)}: ${certainty(isCertain)}</li>`)}
      ${unseenQuestions.map(
        ({ question, isCertain }) => html`<li>${questionLink(survey, question)}: ${certainty(isCertain)}</li>`,
      )}
    </ul>
  </section>`
}

function quotasView({ root }: Rehearsed, { quotas, ends }: RehearsalReport): Part {
  if (quotas.length === 0) return null
  return html`<section class="card" aria-labelledby="quotas">
    <h2 id="quotas"><a href="${root}edit/quotas/">Quotas</a></h2>
    <ul class="finding-list">
      ${quotas.map(
        ({ name, limit, walks, isCertain }) =>
          html`<li><strong>${name}</strong>: ${
            isCertain
              ? t('No answers fulfil its rules, so it never fills.')
              : walks === 0
                ? t('No one counted towards it. It probably never fills.')
                : t('{walks} of {complete} complete responses counted towards it. It is full after about {needed}.', {
                    walks: shown(walks),
                    complete: shown(ends.complete),
                    needed: pluralize(Math.ceil((limit * ends.complete) / walks), 'response'),
                  })
          }</li>`,
      )}
    </ul>
  </section>`
}

const END_TEXTS = perLanguage(() => ({
  complete: t('finished'),
  terminate: t('screened out'),
  stuck: t('could not go on'),
  abandoned: t('not followed to the end'),
}))

function pathsView({ paths, pathCount, walks }: RehearsalReport): Html {
  return html`<div class="card">
    <h2 id="paths">Paths</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="paths">
      <table>
        <thead>
          <tr>
            <th scope="col">Pages</th>
            <th scope="col">End</th>
            <th scope="col">Respondents</th>
            <th scope="col">Minutes</th>
          </tr>
        </thead>
        <tbody>
          ${paths.map(
            ({ pages, end, walks: own, minutes }) =>
              html`<tr>
                <th scope="row">${runsOf(pages)}</th>
                <td>${END_TEXTS()[end]}</td>
                <td>${share(own, walks)}</td>
                <td>${shown(minutes)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${pathCount > paths.length && html`<p class="soft">and ${pluralize(pathCount - paths.length, 'more', 'more')}</p>`}
  </div>`
}

/** Returns the numbers of pages with runs of consecutive pages: `1–3, 7`. */
export function runsOf(pages: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const page of pages) {
    const run = runs.at(-1)
    if (run && page === run[1] + 1) run[1] = page
    else runs.push([page, page])
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', ')
}

function sampleView({ sample }: RehearsalReport): Part {
  if (sample.rows.length === 0) return null
  return html`<div class="card">
    <h2 id="sample">Answers in a spreadsheet</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="sample">
      <table class="sample">
        <thead>
          <tr>
            ${sample.columns.map(
              (title) => html`<th scope="col" dir="auto">${title.trim() || t('Untitled question')}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${sample.rows.map((row) => html`<tr>${row.map((cell) => html`<td dir="auto">${cell}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  </div>`
}
