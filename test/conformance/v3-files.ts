import type { Section } from './row.ts'

/** Files in answers, in version 3 only. */
const files: Section = {
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
      'api/v3/images › an image in a structure › is deleted a week after its upload, unless a version or a step of the draft has it',
      'web/builder-images › the image of a choice in the builder, without scripts › is uploaded with its description, shown, replaced and removed',
    ],
  ],
}

/** Files in answers and images of choices. */
export const uploads: readonly Section[] = [files, images]
