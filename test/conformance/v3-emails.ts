import type { Section } from './row.ts'

/** Emails of a survey, in version 3 only. */
export const emails: Section = {
  section: '9.3',
  rows: [
    [
      'Emails of a survey: automatic reminders, funnel',
      ['v3.listSurveyEmails', 'v3.getSurveyEmail', 'v3.updateSurveyEmail'],
      'worker/reminders › automatic reminders › go out after some days, at most as often as set, and only to those who',
      'worker/reminders › automatic reminders › are sent once by several servers',
      'worker/reminders › automatic reminders › end when the survey is closed',
      'worker/reminders › updateSurveyEmail › starts, changes and stops reminders of an email that was sent',
    ],
  ],
}
