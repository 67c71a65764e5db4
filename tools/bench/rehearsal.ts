import { startServer } from '../../test/support/running-server.ts'
import { line, median, ratio } from './figures.ts'

/** Goal for the walks of one request, in milliseconds. */
const GOAL_MS = 10_000
/** Goal for another request while a survey is rehearsed, in milliseconds. */
const OTHER_GOAL_MS = 200
const WALKS = 10_000
const PAGES = 12
const QUESTIONS_PER_PAGE = 5
const RUNS = 3

const KINDS = [
  'single-choice',
  'multiple-choice',
  'text-response',
  'number',
  'rating',
  'boolean-choice',
  'datetime',
  'dropdown-choice',
  'net-promoter',
  'email',
]
const WITH_CHOICES = new Set(['single-choice', 'multiple-choice', 'dropdown-choice'])

/** A survey of 60 questions with conditions on every page, a skip, quotas and two languages. */
const structure = {
  title: { en: 'Sixty questions', de: 'Sechzig Fragen' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'de', name: 'Deutsch' },
  ],
  form: Array.from({ length: PAGES }, (_, page) => ({
    children: Array.from({ length: QUESTIONS_PER_PAGE }, (_, index) => {
      const number = page * QUESTIONS_PER_PAGE + index
      const idname = KINDS[number % KINDS.length]!
      const choices = [1, 2, 3, 4, 5].map((n) => ({ label: { en: `Choice ${n}`, de: `Wahl ${n}` } }))
      const condition =
        index === 4
          ? { all: [{ question: `q${page}_0`, op: 'answered' }] }
          : index === 2 && page > 0 && { all: [{ question: `q${page - 1}_0`, op: 'answered' }] }
      return {
        idname,
        id: `q${page}_${index}`,
        title: { en: `Question ${number}: how content are you?`, de: `Frage ${number}: Wie zufrieden sind Sie?` },
        children: [{ required: number % 3 === 0, ...(WITH_CHOICES.has(idname) && { choices }) }],
        ...(condition && { condition }),
      }
    }),
    ...(page === 1 && { skip: [{ when: { question: 'q0_0', op: 'eq', value: 1 }, to: 5 }] }),
  })),
  quotas: [{ name: 'First', limit: 100, action: 'close', when: { question: 'q0_0', op: 'eq', value: 1 } }],
}

/**
 * Measures a rehearsal with 10,000 walks through a survey of 60 questions, and how long other requests to the same
 * process take meanwhile.
 */
export async function benchRehearsal(): Promise<void> {
  const server = await startServer()
  try {
    const { body } = await server.client.post('/api/v3/surveys/', { json: { name: 'Sixty', structure } })
    const times: number[] = []
    const others: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now()
      let isRunning = true
      const rehearsal = server.client
        .post(`/api/v3/surveys/${body.id}/rehearsal/`, { json: { walks: WALKS, seed: run } })
        .finally(() => {
          isRunning = false
        })
      while (isRunning) {
        const sent = performance.now()
        await server.client.get(`/api/v3/surveys/${body.id}/`)
        others.push(performance.now() - sent)
      }
      const { body: report } = await rehearsal
      if (report.walks !== WALKS) throw new Error(`${report.walks} walks instead of ${WALKS}`)
      times.push(performance.now() - start)
    }
    line('rehearsal of 60 questions', `${Math.round(Math.min(...times))} ms`, `for ${WALKS} walks`)
    ratio('  of 10 s', Math.min(...times) / GOAL_MS, { atMost: 1 })
    line(
      'another request meanwhile',
      `${Math.round(median(others))} ms`,
      `at most ${Math.round(Math.max(...others))} ms`,
    )
    ratio('  of 200 ms', median(others) / OTHER_GOAL_MS, { atMost: 1 })
  } finally {
    await server.stop()
  }
}
