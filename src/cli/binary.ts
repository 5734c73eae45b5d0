/** Entry of the single executable: Node and the program in one, so there is no program file to name. */
import { main } from './main.ts';

void main(null);
