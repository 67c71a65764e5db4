import type { Section } from './row.ts'

/** Files in answers, in version 3 only. */
const answerFiles: Section = {
  section: '7.14',
  rows: [
    [
      'Files: upload, keys, addresses, download, deletion',
      ['v3.createFile', 'v3.listResponseFiles', 'v3.getResponseFile', 'page'],
      'question-types/file-upload › a file upload question › receives files from programs, and accepts the key of a file in one response only',
      'question-types/file-upload › a file upload question › shows the URLs of files to users who may read responses, and sends each file as a download',
      'question-types/file-upload › a file upload question › keeps files when a program sends a response back unchanged, exports them with the account, and deletes them with their answer or response',
      'question-types/file-upload › a file upload question › deletes files that no response has used for a day',
    ],
  ],
}

/** Images of choices, in version 3 only. */
const images: Section = {
  section: '6.14',
  rows: [
    [
      'Images of choices: upload, address, limits, copies, deletion',
      ['v3.createImage', 'page'],
      'api/v3/images › createImage › rejects an incomplete image of the type %s',
      'api/v3/images › createImage › limits the images of a survey',
      'api/v3/images › an image in a structure › is shown to respondents and by the API',
      'api/v3/images › an image in a structure › stays in copies and templates of a survey that is deleted, until the last one is deleted',
      'api/v3/images › an image in a structure › is deleted a week after its upload, unless a version, or a draft step that can be undone, contains it',
      'web/builder-images › the image of a choice in the builder › is uploaded with its description, shown, replaced and removed',
    ],
  ],
}

/** The responses as an Excel workbook, in version 3 only. */
const workbook: Section = {
  section: '7.15',
  rows: [
    [
      'Excel workbook: cells, limits, HEAD and ETag',
      ['v3.exportWorkbook', 'page'],
      'api/v3/xlsx › exportWorkbook › contains the same cells as the CSV export with the query “%s”',
      'api/v3/xlsx › exportWorkbook › writes numbers as numbers, times as dates, and everything else as text',
      'api/v3/xlsx › exportWorkbook › replaces only the characters that a cell cannot contain, and shortens texts to 32,767 characters',
      'api/v3/xlsx › exportWorkbook › rejects parameters of the CSV format and surveys with too many columns',
      'api/v3/xlsx › exportWorkbook › returns 304 for a workbook that the client has, and no file for HEAD',
      'web/responses-file › the download of responses › is a workbook with titles and labels, a CSV file for statistics, or a custom file',
    ],
  ],
}

/** Files in answers, images of choices, and workbooks. */
export const files: readonly Section[] = [answerFiles, images, workbook]
