import type { Section } from './row.ts'

/** Texts of the service on survey pages, in version 3 only. */
export const texts: Section = {
  section: '5.14',
  rows: [
    [
      'Texts of a survey: replaced, translated, checked for placeholders',
      ['v3.getSurveyTexts', 'v3.updateSurveyTexts'],
      'api/v3/texts › getSurveyTexts › returns no texts and every default text of a survey without own texts',
      'api/v3/texts › updateSurveyTexts › replaces texts on the pages of the survey, escaped, and keeps the others',
      'api/v3/texts › updateSurveyTexts › translates texts into a language that the service does not have',
      'api/v3/texts › updateSurveyTexts › returns 400 for a text without its placeholder, and saves nothing',
    ],
  ],
}
