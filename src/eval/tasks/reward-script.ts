/** The shell that runs a verifier of Harbor and reads its reward. It decides what counts as solved, and needs no program but `awk` and `tr`. */
export const testsPath = '/tests';
export const logsPath = '/logs';

const rewardFile = `${logsPath}/verifier/reward`;

/** `reward` counts; without one every number does. */
const jsonReward = [
  '{ while (match($0, /"[^"]*":[-+.0-9eE]+/)) { pair = value = substr($0, RSTART, RLENGTH)',
  '$0 = substr($0, RSTART + RLENGTH); sub(/.*:/, "", value); if (pair ~ /^"reward":/) own = value',
  'if (least == "" || value + 0 < least + 0) least = value } }',
].join('; ');

/** A verifier says what it found in one of two files; its exit code says nothing. */
export const rewardScript = [
  `mkdir -p ${logsPath}/verifier ${logsPath}/agent`,
  `bash ${testsPath}/test.sh`,
  `if [ -e ${rewardFile}.txt ]`,
  `then awk 'NR == 1 { solved = $1 >= 1 } END { exit !solved }' ${rewardFile}.txt`,
  `else tr -d '[:space:]' < ${rewardFile}.json | awk '${jsonReward} END { if (own != "") least = own; exit !(least + 0 >= 1) }'`,
  'fi',
].join('; ');
