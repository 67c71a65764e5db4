import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
// Streams the rows, whatever their number.
const query = { _completed: ['1'], include_labels: true }
for await (const record of v3.csvRecords({ path: { survey_id: 14 }, query })) console.log(record._id, record.q1)
