import type { Section } from './row.ts'

/** Files in answers, in version 3 only. */
export const files: Section = {
  section: '7.14',
  rows: [
    [
      'Files: upload, keys, addresses, download, deletion',
      ['v3.createFile', 'v3.listResponseFiles', 'v3.getResponseFile', 'page'],
      'question-types/file-upload › a file upload question › receives files of programs, whose keys answer once',
      'question-types/file-upload › a file upload question › shows addresses to those who may read responses, and downloads nothing inline',
      'question-types/file-upload › a file upload question › keeps files when a response is sent back, and deletes them with answer, response and account',
      'question-types/file-upload › a file upload question › deletes files that no response uses within a day',
    ],
  ],
}
