import { describe, expect, test } from '@jest/globals'
import { validateDay } from '../../src/domain/structure/day-limit.ts'
import type { Question } from '../../src/domain/structure/questionnaire.ts'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const date = (settings: object) => ({
  idname: 'datetime',
  id: 'd',
  title: 'When?',
  children: [{ format: 'date', ...settings }],
})

describe('the first and the last day of a date question [spec 6.5]', () => {
  test('are checked, and the page says which days are accepted', async () => {
    const survey = await type.survey([date({ earliest: '2026-01-31', latest: '2026-02-02' })])
    const reply = async (d: string) => {
      const { status, body } = await survey.answerV2({ d })
      return [status, JSON.stringify(body).match(/must not be (?:before|after) [0-9-]+/)?.[0]]
    }
    expect(await reply('2026-01-30')).toEqual([500, 'must not be before 2026-01-31'])
    expect(await reply('2026-02-03')).toEqual([500, 'must not be after 2026-02-02'])
    expect((await reply('2026-01-31'))[0]).toBeLessThan(300)
    expect((await reply('2026-02-02'))[0]).toBeLessThan(300)
    expect(await (await fetch(survey.url)).text()).toContain('min="2026-01-31" max="2026-02-02"')
    const past = await type.survey([date({ latest: 'today' })])
    expect([
      (await past.answerV2({ d: '2000-01-01' })).status,
      (await past.answerV2({ d: '2999-01-01' })).status,
    ]).toEqual([(await survey.answerV2({ d: '2026-02-01' })).status, 500])
  })

  test.each([
    ['earliest', '2026-02-30', 'invalid_format'],
    ['latest', 'tomorrow', 'invalid_format'],
    ['latest', 'today+123456', 'invalid_format'],
    ['latest', 5, 'invalid_type'],
  ])('must be days: %s %j', async (name, value, code) => {
    expect(await type.errorsOf(date({ [name]: value }))).toEqual([[`children/0/${name}`, code]])
  })

  test('must be in order', async () => {
    expect(await type.errorsOf(date({ earliest: '2026-02-02', latest: '2026-01-31' }))).toEqual([
      ['children/0/earliest', 'too_late'],
    ])
  })

  test('today is every day that has begun, and has not ended, in some time zone', () => {
    const at = (question: Partial<Question>, day: string, now?: string) =>
      validateDay(question as Question, day, now === undefined ? undefined : new Date(now))?.params
    const noon = '2026-11-28T12:00:00Z'
    expect(at({ latest: 'today' }, '2026-11-29', noon)).toBeUndefined()
    expect(at({ latest: 'today' }, '2026-11-29', '2026-11-28T09:59:00Z')).toEqual({ max: '2026-11-28' })
    expect(at({ latest: 'today' }, '2026-11-30T08:00', noon)).toEqual({ max: '2026-11-29' })
    expect(at({ earliest: 'today' }, '2026-11-28', noon)).toBeUndefined()
    expect(at({ earliest: 'today' }, '2026-11-27', '2026-11-28T11:59:00Z')).toBeUndefined()
    expect(at({ earliest: 'today-7', latest: 'today+7' }, '2026-11-20', noon)).toEqual({ min: '2026-11-21' })
    expect(at({ latest: 'today' }, '2999-01-01')).toBeUndefined()
  })
})
