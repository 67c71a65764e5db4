import { type LanguageWords, listFrequentWords } from '../../../domain/response/coding/words.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { capitalize, formatNumber, pluralize } from '../../layout/format.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { type ResponsesRequest, readResponsesRequest } from '../responses/frame.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { questionOptions } from './answers.ts'

const MAX_WORDS = 50

/** Lists the most frequent words of text answers by language. Each word is a link to its answers. */
export async function showWords(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const question = request.query.get('question')?.trim() || undefined
  const { languages, complete } = await listFrequentWords(page.context, page.survey.id, { question, limit: MAX_WORDS })
  return request.render({
    title: t('Frequent words'),
    beforeHeading: backLink(`${page.listPath}coding/`, t('Coding')),
    content: html`
      <form method="get" class="card">
        <div class="form-row">
          <div class="wide">
            <label for="question">Question</label>
            <select class="box" id="question" name="question">${questionOptions(page, question)}</select>
          </div>
          <button>Show</button>
        </div>
      </form>
      ${!complete && html`<p class="soft">Only the newest answers were counted.</p>`}
      ${
        languages.length === 0
          ? html`<p class="card">No text answers yet.</p>`
          : languages.map((language) => languageView(page, language, question))
      }`,
  })
}

function languageView(
  { listPath }: ResponsesRequest,
  { language, answers, stopWords, words }: LanguageWords,
  question: string | undefined,
): Html {
  const id = `words-${language.replace(/[^a-z0-9]/g, '_')}`
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${languageName(language)}</h2>
    <p class="soft">
      ${pluralize(answers, 'text answer')}${!stopWords && html`. There is no list of stop words for this language.`}
    </p>
    <ul class="tags" lang="${language}">
      ${words.map(
        ({ word, answers: count }) =>
          html`<li>
            <a class="tag" href="${pathWith(`${listPath}coding/`, { text: word, question })}">
              ${word} ${formatNumber(count)}
            </a>
          </li>`,
      )}
    </ul>
  </section>`
}

function languageName(code: string): string {
  try {
    return capitalize(new Intl.DisplayNames(pageLanguage(), { type: 'language' }).of(code) ?? code)
  } catch {
    return code
  }
}
