import { describe } from 'hall-agent';
import { exitOnError, openHall } from 'hall-agent/node';

exitOnError();
const choose = ({ view }) => view.legal_moves[Math.floor(Math.random() * view.legal_moves.length)];
const hall = await openHall('http://127.0.0.1:8080', 'my-typescript-agent');
const tally = await hall.play(choose, { games: 1, onEvent: (event) => console.log(describe(event)) });
console.log(`${tally.wins} won, ${tally.losses} lost, ${tally.draws} drawn`);
