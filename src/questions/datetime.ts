import { detail } from '../domain/error-details.ts'
import { dayLimit, isDayLimit } from '../domain/structure/day-limit.ts'
import { questionType } from './question-type.ts'

/** A date, a time or both. */
export const datetime = questionType({
  idname: 'datetime',
  synonyms: ['date-time'],
  optionTypes: ['datetime', 'date', 'time'],
  fieldType: 'datetime',
  settings: {
    format: {
      type: 'string',
      enum: ['datetime', 'date', 'time'],
      description: 'Whether the answer is a date, a time or both.',
    },
    earliest: dayLimit(
      ['2026-01-31', 'today-7'],
      'First day that is accepted: a date, `today`, or a number of days before or after it.',
    ),
    latest: dayLimit(
      ['2026-12-31', 'today'],
      'Last day that is accepted: a date, `today`, or a number of days before or after it.',
    ),
  },
  checkSettings({ errors, setting, pointerOf }) {
    const [earliest, latest] = [setting('earliest'), setting('latest')]
    const isOrdered = [earliest, latest].every((day) => isDayLimit(day) && !day.startsWith('today'))
    if (isOrdered && String(earliest) > String(latest))
      errors.add(
        pointerOf('earliest'),
        'too_late',
        { max: String(latest) },
        detail('above_member', { member: 'latest' }),
      )
  },
  compileSettings: ({ earliest, latest }) => ({
    ...(isDayLimit(earliest) && { earliest }),
    ...(isDayLimit(latest) && { latest }),
  }),
  seconds: [7, 0],
})
