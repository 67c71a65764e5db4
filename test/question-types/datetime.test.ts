import { describe, expect, it } from '@jest/globals'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()

describe('a date question [spec 6.4]', () => {
  it('is shown in the report in the notation of the language of the owner', async () => {
    const survey = await type.survey([{ idname: 'datetime', id: 'at', title: 'When?', children: [{}] }])
    await survey.answer({ at: '2026-11-20T10:30' })
    const report = await survey.report()
    expect(report).toContain('<p>November 20, 2026 at 10:30 AM</p>')
    expect(report).not.toContain('2026-11-20T10:30')
  })
})
