import { showAgreement } from '../../../domain/response/coding/rounds.ts'
import { html, type Part } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { readResponsesRequest } from '../responses/frame.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

const figure = (value: number | null): string =>
  value === null ? '–' : formatNumber(value, { minimumFractionDigits: 3, maximumFractionDigits: 3 })

/** Shows how far the coders of a closed round agree about each category. */
export async function showRound(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, listPath } = await readResponsesRequest(request)
  const { round, agreement } = await showAgreement(context, survey.id, parseId(request.params.round))
  const cell = (title: string, content: Part) => html`<td role="cell" data-title="${title}">${content}</td>`
  const [answers, kappa, alpha] = [t('Answers'), t('Cohen’s kappa'), t('Krippendorff’s alpha')]
  return request.render({
    title: t('Agreement of coders'),
    beforeHeading: backLink(`${listPath}coding/frame/`, t('Coding frame')),
    content: html`
      <p>
        Opened ${timeTag(round.openedAt)}, closed ${timeTag(round.closedAt!)}. Answers coded:
        ${
          round.coders
            .map((coder) => `${coder.username ?? t('Deleted account')} ${formatNumber(coder.answers)}`)
            .join(', ') || t('none')
        }
      </p>
      <div class="scroll below" role="region" aria-label="Agreement" tabindex="0">
        <table class="sheet" role="table">
          <thead role="rowgroup">
            <tr role="row">
              ${[t('Category'), answers, kappa, alpha].map(
                (title) => html`<th scope="col" role="columnheader">${title}</th>`,
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">
            ${agreement.map(
              (each) => html`<tr role="row">
                <th scope="row" role="rowheader">${each.name}</th>
                ${cell(answers, formatNumber(each.answers))}
                ${cell(kappa, figure(each.kappa))}
                ${cell(alpha, figure(each.alpha))}
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="soft">
        Each figure says how far the coders agree whether an answer is in the category, beyond chance: 1 is perfect
        agreement, 0 is chance. Kappa needs exactly two coders, and counts the answers that both coded; alpha takes any
        number of coders, and counts the answers that at least two coded. A dash: not defined, because nothing differs.
      </p>`,
  })
}
