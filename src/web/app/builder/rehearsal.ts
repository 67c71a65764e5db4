import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { MAX_SEED, MAX_WALKS, rehearseCopy } from '../../../domain/rehearsal/rehearse.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part, trusted } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editMenu } from './menu.ts'
import { rehearsalView } from './rehearsal-view.ts'

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
  const [before = '', after = ''] = 'page' in rendered ? String(rendered.page).split(MARK) : []
  // The parts are rendered after this function has returned, in the language of this request.
  const inRequest = AsyncResource.bind((render: () => Part) => String(html`${render()}`))
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
        html`<section class="card rehearsal">${alert(t('The rehearsal could not be finished. Try again in a minute.'))}</section>`
    return
  }
}

function progressView(done: number, total: number): Html {
  const locale = pageLanguage()
  const text = t('{done} of {total} walks', { done: done.toLocaleString(locale), total: total.toLocaleString(locale) })
  return html`<p><progress max="${total}" value="${done}" aria-label="${text}"></progress> ${text}</p>`
}

function formView({ root, csrf }: SurveyRequest, walks: number, seed: number): Html {
  return html`<section class="card" aria-labelledby="rehearse"><h2 id="rehearse">Rehearse the survey</h2>
<p>Simulated respondents answer your draft at random, in every language. You learn where people cannot go on, what no one sees, how long the survey takes, and what the answers look like in a spreadsheet. Nothing is stored.</p>
<form method="post" action="${root}edit/rehearsal/">${csrfField(csrf)}<input type="hidden" name="seed" value="${seed}">${select(
    {
      name: 'walks',
      label: t('Simulated respondents'),
      value: String(walks),
      options: WALKS.map((value) => ({ value, label: pluralize(value, 'respondent') })),
    },
  )}<div class="button-row"><button class="primary">Start rehearsal</button></div></form></section>`
}

const frame = (request: SurveyRequest, content: Part) => ({
  title: t('Rehearsal'),
  action: editMenu(request, 'questions', true),
  beforeHeading: backLink(`${request.root}edit/`, t('All questions')),
  content,
})
