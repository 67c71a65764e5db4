import { beforeAll, expect } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { saveScreenshot, violations } from './axe.ts'
import type { Reply } from './client.ts'
import { unescapeHtml } from './html.ts'
import { signInAs } from './http-browser.ts'
import { storedResponses } from './surveys.ts'
import { press, useChromium } from './use-chromium.ts'
import { type Person, useWorld, type World, type WorldOptions } from './world.ts'

/** A survey with one page. Its first question has the type that is tested. */
export interface TypedSurvey {
  id: number
  /** The type of the first question. */
  kind: string
  owner: Person
  /** The address of the survey page. */
  url: string
  /** Stores a response through version 3 of the API. */
  answer(answers: Record<string, unknown>): Promise<Reply>
  /** Stores a complete response through version 2 of the API, which checks all rules, such as required answers. */
  answerV2(answers: Record<string, unknown>): Promise<Reply>
  /** Returns the stored answers of all responses. */
  stored(): Promise<unknown[]>
  /** Returns the answers of all responses as version 3 shows them. */
  shown(query?: string): Promise<Record<string, unknown>[]>
  /** Returns the rows of the CSV export, header first, without the columns of metadata. */
  csv(query?: string): Promise<string[][]>
  /** Returns the statistics of a question in a report of all responses. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
  stats(question: string): Promise<any>
  /** Returns the HTML page of a report of all responses. */
  report(): Promise<string>
}

const META_COLUMNS = 17

/** The image that the browser of the tests receives for every https URL. */
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><circle cx="20" cy="15" r="9" fill="teal"/></svg>'

/** Functions that test a question type through the API and the pages. */
export interface QuestionTypeTest {
  world: World
  survey(questions: object[], more?: object): Promise<TypedSurvey>
  /** Replaces the structure. @returns the reply */
  put(id: number, questions: object[]): Promise<Reply>
  /** Returns the errors of a question, each as a JSON pointer within the question and a code. */
  errorsOf(question: object): Promise<[string, string][]>
  /**
   * Answers the first page of a survey in a browser with the screen of a phone, once with and once without scripts:
   * submits a page that is not accepted, expects the errors, fills in the page and expects the survey to end.
   */
  journey(survey: TypedSurvey, steps: Journey): Promise<void>
  newPage: ReturnType<typeof useChromium>['newPage']
}

interface Journey {
  /** Fills in the page with an answer that the service rejects. */
  wrong?: (page: Page, javaScriptEnabled: boolean) => Promise<void>
  /** The text of the error. */
  error?: string
  right: (page: Page, javaScriptEnabled: boolean) => Promise<void>
}

/** Starts a service and a browser for the tests of a question type. Call it at the top of the file. */
export function useQuestionType(options: WorldOptions = {}): QuestionTypeTest {
  const world = useWorld(options)
  const chromium = useChromium()
  let owner: Person
  let scratch: number
  const structureOf = (children: object[], more: object = {}) => ({ title: 'Types', form: [{ children }], ...more })
  beforeAll(async () => {
    owner = await world.person()
    scratch = (await owner.post('/api/v2/surveys/', { json: structureOf([]) })).body.id
  })
  const put = (id: number, questions: object[]) =>
    owner.put(`/api/v3/surveys/${id}/structure/`, { json: structureOf(questions) })

  return {
    world,
    put,
    newPage: chromium.newPage,
    async survey(questions, more = {}) {
      const { body } = await owner.post('/api/v2/surveys/', { json: structureOf(questions, more) })
      const kind = (questions[0] as { idname: string }).idname
      const { id, deploy_uri: url } = body
      const api = `/api/v3/surveys/${id}/`
      return {
        id,
        kind,
        owner,
        url,
        answer: (json) => owner.post(`${api}responses/`, { json }),
        answerV2: (json) => owner.post(`/api/v2/surveys/${id}/responses/`, { json }),
        stored: async () => (await storedResponses(world, id)).map(({ answers }) => answers),
        shown: async (query = '') =>
          (await owner.get(`${api}responses/${query}`)).body.results.map((row: Record<string, unknown>) =>
            Object.fromEntries(Object.entries(row).filter(([name]) => !/^_|^response_uri$/.test(name))),
          ),
        csv: async (query = '') => {
          const rows: string[][] = parse((await owner.get(`${api}csv/${query}`)).text)
          return rows.map((row) => row.slice(META_COLUMNS))
        },
        stats: async (question) => {
          const report = await owner.post(`${api}reports/`, { json: { title: 'All', query: '_completed>=0' } })
          const { body: all } = await owner.get(report.body.report_uri)
          return all.questions.find((one: { id: string }) => one.id === question)
        },
        report: async () =>
          unescapeHtml((await (await signInAs(owner)).get(`/account/surveys/${id}/reports/all/?_completed>=0`)).text),
      }
    },
    async errorsOf(question) {
      const { status, body } = await put(scratch, [question])
      if (status === 200) return []
      return body.errors.map(({ field, code }: { field: string; code: string }) => [
        field.replace('/form/0/children/0/', ''),
        code,
      ])
    },
    async journey({ kind, url }, { wrong, error, right }) {
      for (const javaScriptEnabled of [true, false]) {
        const page = await chromium.newPage({
          viewport: { width: 320, height: 640 },
          javaScriptEnabled,
          bypassCSP: true,
        })
        await page.route(/^https:/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }))
        await page.goto(url)
        if (javaScriptEnabled) expect(await violations(page)).toEqual([])
        if (wrong) {
          await wrong(page, javaScriptEnabled)
          await press(page, 'Submit')
          await page.locator('.summary').waitFor()
          expect(await page.locator('.question .error').first().innerText()).toContain(error)
          if (javaScriptEnabled) expect(await violations(page)).toEqual([])
        }
        await right(page, javaScriptEnabled)
        await saveScreenshot(page, `question-type-${kind}-${javaScriptEnabled ? 'scripts' : 'plain'}`)
        await press(page, 'Submit')
        await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
      }
    },
  }
}
